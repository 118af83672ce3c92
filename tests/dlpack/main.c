/* main.c: the official dlpack.h and transmute's declare the same structs, so that a program may
 * include either, and the library takes both programs' structs.
 */
#include <stdio.h>

#include "layout.h"

int main(void)
{
    int facts = 0, differences = 0;
    for (; official_layout.fact[facts] != 0 || own_layout.fact[facts] != 0; facts++) {
        if (official_layout.fact[facts] != own_layout.fact[facts]) {
            printf("fact %d of layout.c: %zu in the official header, %zu in transmute's\n", facts,
                   official_layout.fact[facts], own_layout.fact[facts]);
            differences++;
        }
    }
    printf("%d facts, %d differences\n", facts, differences);
    return facts > 0 && differences == 0 ? 0 : 1;
}
