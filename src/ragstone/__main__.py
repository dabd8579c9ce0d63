"""The command `ragstone`."""

from ragstone.cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
