"""One verb a link: each stage turns records of one link into records of the next."""
