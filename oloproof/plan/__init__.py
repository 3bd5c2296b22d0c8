"""What will be done: the plan and the cases as records, and the keys taken from them. No lark here."""
