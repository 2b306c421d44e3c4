from fastapi import APIRouter

router = APIRouter()


@router.get("/completion-rate")
def completion_rate(lab: str) -> dict:
    done = count_done(lab)
    total = count_all(lab)
    return {"lab": lab, "completion_rate": done / total}
