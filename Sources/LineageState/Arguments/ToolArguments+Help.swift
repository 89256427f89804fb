import StateRestoration

extension ToolArguments {
  /// The text of `--help`.
  static let help = """
    Reads the state that an app has saved with Lineage. Needs no code of the app, and writes nothing.

    usage: lineage-state COMMAND FILE-or-FOLDER
           lineage-state COMMAND --app NAME

      verify         checks everything, and names each fault with its file, byte and record
      show           prints the tree with all values
      show --sizes   prints the bytes of each subtree, the largest first
      export --json  prints all values as JSON, one record in each line
      reports        prints what the last launches restored, and why not the rest

      --app NAME     the folder of an app: $XDG_STATE_HOME/NAME, or ~/.local/state/NAME
      --help         prints this text
      --version      prints the version of the format that can be read

    Of a folder, show and export read the file that the next launch would use.

    exit status: 0 if all is good, 1 if something is damaged, 2 if something cannot be read, was
    written by a newer version, or the arguments are wrong. Colours are for terminals, unless
    NO_COLOR is set.
    """

  /// The text of `--version`.
  static let version = "lineage-state of Lineage, reads format \(ArchiveInspection.format)"
}
