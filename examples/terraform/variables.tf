variable "name" {
  description = "The name of all resources."
  type        = string
  default     = "partner-commentary"
}

variable "bundle" {
  description = "The bundle's folder, hosts/lambda/bundle. All of its files are deployed."
  type        = string
}

variable "environment" {
  description = "The service's environment variables from docs/reference/environment.md. Required: DATABASE_URL, PUBLIC_URL, SMTP_URL and SIGNING_SECRET."
  type        = map(string)
  sensitive   = true

  validation {
    condition = alltrue([
      for name in ["DATABASE_URL", "PUBLIC_URL", "SMTP_URL", "SIGNING_SECRET"] :
      trimspace(lookup(var.environment, name, "")) != ""
    ])
    error_message = "DATABASE_URL, PUBLIC_URL, SMTP_URL and SIGNING_SECRET must be set and not blank."
  }
}

variable "memory" {
  description = "Memory in megabytes. AWS assigns CPU time in proportion to it."
  type        = number
  default     = 1024
}

variable "subnet_ids" {
  description = "The subnets from which the function reaches the database. Leave the list empty if the database is public. The subnets need internet access for mails, drafts and webhooks."
  type        = list(string)
  default     = []
}

variable "security_group_ids" {
  description = "The security groups of the function, if it has subnets."
  type        = list(string)
  default     = []
}
