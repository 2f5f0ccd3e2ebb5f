"""What clients of OpenAI's API are answered: each pipeline is a model, and an answer carries its sources."""
