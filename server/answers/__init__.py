"""From passages to an answer whose every citation is checked, or a refusal that says why."""
