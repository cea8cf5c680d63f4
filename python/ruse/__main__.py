"""`python -m ruse`: the command `ruse`."""

from ._cli import main

main()
