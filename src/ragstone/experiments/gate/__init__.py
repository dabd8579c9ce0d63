"""Whether a run may ship: a policy, its checks, and the decision."""
