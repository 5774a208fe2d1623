output "endpoint" {
  description = "Where the HTTP API answers. PUBLIC_URL is this, or a domain of one's own that leads here."
  value       = aws_apigatewayv2_api.service.api_endpoint
}

output "function_name" {
  value = aws_lambda_function.service.function_name
}
