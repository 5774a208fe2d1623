output "endpoint" {
  description = "The URL of the HTTP API. PUBLIC_URL is this URL, which needs a second apply, or your own domain that points to it."
  value       = aws_apigatewayv2_api.service.api_endpoint
}

output "function_name" {
  value = aws_lambda_function.service.function_name
}
