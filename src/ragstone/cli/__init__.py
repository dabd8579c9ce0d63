"""The command line. Commands are thin: they read flags, call the core, and print."""
