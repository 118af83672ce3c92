#!/usr/bin/env bash
# run.sh: compiles and runs every code block of one Markdown page and compares what comes out.
#
#     run.sh PAGE LEAST        LEAST: how many runnable blocks the page must have
#
# ```c        a complete program: compiled against the public headers, linked with the library and
#             run in an empty directory. It must return 0. What it prints (both streams) must be the
#             ```output block behind it; without one it must print nothing.
# ```console  lines "$ COMMAND" are run in order in one directory, in which data/ is the project's
#             and `transmute` is the program just built; a line that ends in \ goes on in the next.
#             The lines below a command are what it prints. `./dev WORD` must exist; it is not run.
# ```text     for the eye alone. Any other word behind the fence is an error.
#
# A comment on the line before a fence says that the block is something else:
#     <!-- file: NAME -->      not run, but written to NAME, for the blocks below to include
#     <!-- from: PATH -->      an excerpt: these lines stand, in this order, in the project's PATH
#
# Links to files and headings of the project must lead somewhere.
#
# From the environment: CC, CFLAGS, LIBRARY (the shared library), INCLUDES (separated by ':'),
# PROGRAM (the command-line program). A failure names page and line; the exit status is then 1.
set -uo pipefail

page=$1 least=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/files" "$work/console"
[ -n "${PROGRAM:-}" ] && ln -s "$PROGRAM" "$work/bin/transmute"
ln -s "$root/data" "$work/console/data"

read -ra flags <<<"${CFLAGS:-}"
IFS=: read -ra include_dirs <<<"${INCLUDES:-}"
flags+=(-std=c17 -Wall -Wextra -Wpedantic -I "$work/files" "${include_dirs[@]/#/-I}")

programs=0 commands=0 outputs=0 others=0 failures=0

fail() { # LINE MESSAGE [FILE WITH DETAILS]
  failures=$((failures + 1))
  echo "$page:$1: $2"
  [ $# -gt 2 ] && sed 's/^/    /' "$3"
  return 0
}

compare() { # LINE WHAT EXPECTED GOT
  cmp -s "$3" "$4" && return
  diff -u --label documented "$3" --label printed "$4" >"$work/diff"
  fail "$1" "$2 prints something else than documented" "$work/diff"
}

# A program waits until it is known whether an output block follows it.
waiting=''
settle() { # [LINE OF THE OUTPUT BLOCK]
  [ -n "$waiting" ] || return 0
  if [ $# -gt 0 ]; then
    outputs=$((outputs + 1))
    compare "$1" "the program at line $waiting" "$work/block" "$work/printed"
  elif [ -s "$work/printed" ]; then
    fail "$waiting" "the program prints something, but no output block follows" "$work/printed"
  fi
  waiting=''
}

run_program() { # LINE
  programs=$((programs + 1))
  cp "$work/block" "$work/program.c"
  if ! "$CC" "${flags[@]}" -o "$work/program" "$work/program.c" "$LIBRARY" \
    -Wl,-rpath,"$(dirname "$LIBRARY")" 2>"$work/errors"; then
    fail "$1" "the program does not compile" "$work/errors"
    return
  fi
  rm -rf "$work/empty"
  mkdir "$work/empty"
  (cd "$work/empty" && timeout 120 "$work/program") >"$work/printed" 2>&1
  local status=$?
  if [ $status -ne 0 ]; then
    fail "$1" "the program returns $status" "$work/printed"
    return
  fi
  waiting=$1
}

run_command() { # LINE COMMAND, what it should print in $work/expected
  if [[ $2 == ./dev\ * ]]; then
    local word
    read -r _ word _ <<<"$2"
    grep -q "^$word)" "$root/dev" || fail "$1" "there is no ./dev $word"
    [ -s "$work/expected" ] && fail "$1" "what ./dev prints is not compared, so leave it out"
    return
  fi
  commands=$((commands + 1))
  (cd "$work/console" && PATH="$work/bin:$PATH" timeout 120 bash -c "$2") >"$work/printed" 2>&1
  compare "$1" "the command" "$work/expected" "$work/printed"
}

run_console() { # LINE OF THE FENCE
  local at=$1 line command='' command_at=0 continued=0
  : >"$work/expected"
  while IFS= read -r line; do
    at=$((at + 1))
    if [ "$continued" = 1 ]; then
      command+=$'\n'$line
    elif [[ $line == '$ '* ]]; then
      [ -n "$command" ] && run_command "$command_at" "$command"
      command=${line#\$ } command_at=$at
      : >"$work/expected"
    elif [ -z "$command" ]; then
      fail "$at" "a console block begins with a command: \$ COMMAND"
      return
    else
      printf '%s\n' "$line" >>"$work/expected"
      continue
    fi
    [[ $line == *\\ ]] && continued=1 || continued=0
  done <"$work/block"
  [ -n "$command" ] && run_command "$command_at" "$command"
}

keep_file() { # LINE NAME
  others=$((others + 1))
  cp "$work/block" "$work/files/$2"
  "$CC" "${flags[@]}" -Wno-unused-function -fsyntax-only -x c "$work/files/$2" 2>"$work/errors" ||
    fail "$1" "$2 does not compile" "$work/errors"
}

find_excerpt() { # LINE PATH
  others=$((others + 1))
  if [ ! -f "$root/$2" ]; then
    fail "$1" "there is no file $2"
  elif [[ $'\n'$(<"$root/$2")$'\n' != *$'\n'"$(<"$work/block")"$'\n'* ]]; then
    fail "$1" "these lines do not stand in $2"
  fi
}

run_block() { # LINE LANGUAGE COMMENT BEFORE
  if [ "$2" = output ]; then
    if [ -n "$waiting" ]; then
      settle "$1"
    elif [ $failures -eq 0 ]; then
      fail "$1" "no program stands before this output"
    fi
    return
  fi
  settle
  case $3 in
  'file: '*) keep_file "$1" "${3#file: }" ;;
  'from: '*) find_excerpt "$1" "${3#from: }" ;;
  *)
    case $2 in
    c) run_program "$1" ;;
    console) run_console "$1" ;;
    text) ;;
    *) fail "$1" "a block of '$2': it must be c, output, console or text" ;;
    esac
    ;;
  esac
}

# The anchors that a page's headings get: small letters, hyphens for spaces, no punctuation.
anchors() { # PAGE
  sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_links() { # LINE TEXT
  local rest=$2 target file
  while [[ $rest =~ \]\(([^\)\ ]+)\)(.*) ]]; do
    target=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
    [[ $target == *://* ]] && continue
    file=$page
    [[ $target == '#'* ]] || file=$(dirname "$page")/${target%%#*}
    if [ ! -e "$file" ]; then
      fail "$1" "the link $target leads nowhere"
    elif [[ $target == *"#"* ]] && ! grep -qx -- "${target#*#}" < <(anchors "$file"); then
      fail "$1" "there is no heading for the link $target"
    fi
  done
}

at=0 fence=0 language='' before=''
while IFS= read -r line || [ -n "$line" ]; do
  at=$((at + 1))
  if [ $fence -gt 0 ]; then
    if [ "$line" = '```' ]; then
      run_block $fence "$language" "$before"
      fence=0 before=''
    else
      printf '%s\n' "$line" >>"$work/block"
    fi
  elif [[ $line == '```'* ]]; then
    fence=$at language=${line#\`\`\`}
    : >"$work/block"
  elif [[ $line =~ ^'<!-- '(.*)' -->'$ ]]; then
    before=${BASH_REMATCH[1]}
  else
    before=''
    check_links "$at" "$line"
  fi
done <"$page"
[ $fence -eq 0 ] || fail $fence "the block does not end"
settle

ran=$((programs + commands))
[ $ran -ge "$least" ] || fail 1 "$ran programs and commands ran, at least $least must"
echo "$page: $programs programs and $commands commands ran, $outputs outputs compared," \
  "$others files and excerpts, $failures failures"
[ $failures -eq 0 ]
