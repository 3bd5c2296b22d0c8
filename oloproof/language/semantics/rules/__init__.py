"""Every rule of meaning: one module a family; a rule is its code here, its check, and its page in specs/diagnostics."""
