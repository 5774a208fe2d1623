/** Runs the service as a function of AWS Lambda. */
import { partnerCommentary } from "partner-commentary"
import { postgres } from "partner-commentary/postgres"
import { smtp } from "partner-commentary/smtp"

const pc = partnerCommentary({
  url: process.env.COMMENTARY_URL ?? "https://app.example",
  secret: process.env.COMMENTARY_SECRET,
  database: postgres(process.env.DATABASE_URL ?? "", { listen: false }),
  mail: smtp(process.env.SMTP_URL ?? "", { from: "Desk <desk@app.example>" }),
  generator: { url: "https://api.openai.com/v1", model: "gpt-5-mini", apiKey: process.env.OPENAI_API_KEY },
  workers: false
})
export const handler = pc.lambda
