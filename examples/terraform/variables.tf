variable "name" {
  description = "What everything is called."
  type        = string
  default     = "partner-commentary"
}

variable "bundle" {
  description = "The folder of the bundle: hosts/lambda/bundle, all of its files."
  type        = string
}

variable "environment" {
  description = "The service's variables, as docs/reference/environment.md lists them: DATABASE_URL, PUBLIC_URL, SMTP_URL and SIGNING_SECRET at least."
  type        = map(string)
  sensitive   = true

  validation {
    condition = alltrue([
      for name in ["DATABASE_URL", "PUBLIC_URL", "SMTP_URL", "SIGNING_SECRET"] : contains(keys(var.environment), name)
    ])
    error_message = "DATABASE_URL, PUBLIC_URL, SMTP_URL and SIGNING_SECRET must be set."
  }
}

variable "memory" {
  description = "Megabytes; the share of a processor goes with them."
  type        = number
  default     = 1024
}

variable "subnet_ids" {
  description = "Where the database is reached from; none for one that the internet reaches. Such subnets need a way out for mails, drafts and webhooks."
  type        = list(string)
  default     = []
}

variable "security_group_ids" {
  description = "Those of the function, where it has subnets."
  type        = list(string)
  default     = []
}
