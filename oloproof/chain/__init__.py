"""What was found: one record type a link, as values. Nothing here computes or displays."""
