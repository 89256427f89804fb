extension Arguments {
  static let help = """
    Compares the library with the best code one would write by hand for just that.

    usage: Benchmarks [suite …] [--quick|--full] [--case NAME …]
                        [--json FILE] [--html FILE] [--markdown FILE] [--seed N] [--list]
           Benchmarks --compare A.json … -- B.json …

      suite            \(Suite.allCases.map(\.rawValue).joined(separator: ", ")); all of them if none is named;
                       postgres needs the trait Postgres, and the server's address in LINEAGE_POSTGRES
      --quick          5 samples of the smaller cases, about 40 seconds
      --full           every size, without a limit of time; the default takes about 100 seconds
      --case NAME      measures only the cases of that name, like "by id"; may be repeated
      --json FILE      writes the results as JSON; with - to standard output, all else to standard error
      --html FILE      writes the page with the charts there (default: benchmark.html)
      --markdown FILE  writes a page with all figures, and the bars that limit some of them
      --seed N         decides every random input (default: 1)
      --list           prints what would be measured, and measures nothing
      --compare        measures nothing, and compares the JSON files of two commits, A and B
      --help           prints this

    All subjects of a case must give equal answers before any of them is timed.
    Exit codes: 0 done, 1 different answers or a file that cannot be written, 2 wrong arguments.

    To compare two commits, build both, and run them by turns, A B A B …, \(Comparison.runs) times each, with
    the same seed. A figure is the ratio to the baseline, or the median where there is no
    baseline. It is slower if its median over the runs of B exceeds that over the runs of A by
    more than \(Comparison.threshold.percent), and by more than any two runs of A differ.
    Exit codes: 0 nothing is slower, 1 something is slower, a file cannot be read, or the files
    have no figure in common, 2 wrong arguments.
    """
}
