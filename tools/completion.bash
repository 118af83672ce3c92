# Completion of transmute's command line in bash: commands, options, the names of ops, files.

_transmute_ops() {
  COMPREPLY+=($(compgen -W "$("${COMP_WORDS[0]}" ops --names 2>/dev/null)" -- "$1"))
}

_transmute() {
  local word=${COMP_WORDS[COMP_CWORD]} before='' command=${COMP_WORDS[1]:-} options=''
  [ "$COMP_CWORD" -gt 0 ] && before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W 'ops call run law tour --help --version' -- "$word"))
    return
  fi
  case $before in
  --randomness) COMPREPLY=($(compgen -W 'error different same' -- "$word")) ;;
  --chunk) COMPREPLY=($(compgen -W 'auto' -- "$word")) ;;
  --load | --input | --trace | -o)
    [ "$before $command" = '--trace call' ] || {
      COMPREPLY=($(compgen -f -- "$word"))
      return
    }
    ;;
  --vmap | --size | --seed | --threads | --cases) return ;;
  esac
  [ ${#COMPREPLY[@]} -gt 0 ] && return
  case $command in
  ops) options='--json --names --load --help' ;;
  call) options='--vmap --size --chunk --randomness --seed --threads --trace --load -o --help' ;;
  run) options='--input --threads --load --help' ;;
  law) options='--cases --seed --load --simd --paths --check --fail-alloc --help' ;;
  tour) options='--trace --help' ;;
  *) return ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  case $command in
  ops | law) _transmute_ops "$word" ;;
  call) if [ "$COMP_CWORD" -eq 2 ]; then _transmute_ops "$word"; else COMPREPLY=($(compgen -f -- "$word")); fi ;;
  run) COMPREPLY=($(compgen -f -- "$word")) ;;
  tour) COMPREPLY=($(compgen -d -- "$word")) ;;
  esac
}

complete -o filenames -F _transmute transmute
