"""What tests are built with: repositories, processes, waiting, browsers, and the generated worlds."""
