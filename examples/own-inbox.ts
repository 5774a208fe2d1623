/** Shows creators their requests in the application's own pages, with Express. */
import { Router } from "express"
import { type PartnerCommentary, PartnerCommentaryError } from "partner-commentary"

// #region own-inbox
/** Maps the codes of creators' mistakes to HTTP statuses. Do not show creators the messages of unexpected errors. */
const statusByErrorCode = new Map([
  ["not_found", 404],
  ["invalid_request", 400]
])

/** `emailOf` returns the address of the creator who has logged in to your application. */
export const makeCreatorInboxRouter = (pc: PartnerCommentary, emailOf: (request: object) => string) => {
  const router = Router()
  router.get("/requests", async (request, response) => {
    response.json(await pc.creators.openRequests({ email: emailOf(request) }))
  })
  router.post("/requests/:share_id/:action", async (request, response) => {
    const { action, share_id } = request.params
    if (action !== "respond" && action !== "approve" && action !== "decline") return void response.sendStatus(404)
    try {
      response.json(await pc.creators[action]({ ...request.body, share_id, email: emailOf(request) }))
    } catch (error) {
      const status = error instanceof PartnerCommentaryError && statusByErrorCode.get(error.code)
      if (!status) throw error
      response.status(status).json({ code: error.code, message: error.message })
    }
  })
  return router
}
// #endregion
