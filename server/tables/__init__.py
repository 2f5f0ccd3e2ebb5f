"""Evidence tables: papers by questions, each cell with quotes of the paper."""
