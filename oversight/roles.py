"""What people may be here. A role is a Django group of that name."""

ROLES = {
    "reviewer": "decides proposals",
    "operator": "settles unknown effects, answers alerts, stops and resumes",
    "auditor": "reads everything, changes nothing",
    "integrator": "writes actions and workflows, owns agents",
    "administrator": "lets people in, changes the policy with another administrator",
}
