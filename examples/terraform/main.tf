# The service on AWS Lambda: one function behind an HTTP API, and a schedule that invokes the function to run due jobs.
# `npm ci` or `node scripts/bundle.ts` creates the bundle in hosts/lambda/bundle.

terraform {
  required_version = ">= 1.9"
  required_providers {
    archive = {
      source  = "hashicorp/archive"
      version = "~> 2.7"
    }
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

data "archive_file" "bundle" {
  type        = "zip"
  source_dir  = var.bundle
  output_path = "${path.root}/.terraform/${var.name}.zip"
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "function" {
  name               = var.name
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role_policy_attachment" "function" {
  role       = aws_iam_role.function.name
  policy_arn = "arn:aws:iam::aws:policy/service-role/${length(var.subnet_ids) == 0 ? "AWSLambdaBasicExecutionRole" : "AWSLambdaVPCAccessExecutionRole"}"
}

resource "aws_cloudwatch_log_group" "function" {
  name              = "/aws/lambda/${var.name}"
  retention_in_days = 30
}

resource "aws_lambda_function" "service" {
  function_name    = var.name
  role             = aws_iam_role.function.arn
  runtime          = "nodejs24.x"
  architectures    = ["arm64"]
  handler          = "index.handler"
  filename         = data.archive_file.bundle.output_path
  source_code_hash = data.archive_file.bundle.output_base64sha256
  memory_size      = var.memory
  # More than the time limit of a draft. API Gateway ends requests after 30 seconds.
  timeout = 120

  environment {
    variables = var.environment
  }

  dynamic "vpc_config" {
    for_each = length(var.subnet_ids) == 0 ? [] : [1]
    content {
      subnet_ids         = var.subnet_ids
      security_group_ids = var.security_group_ids
    }
  }

  depends_on = [aws_cloudwatch_log_group.function, aws_iam_role_policy_attachment.function]
}

resource "aws_apigatewayv2_api" "service" {
  name          = var.name
  protocol_type = "HTTP"
}

resource "aws_apigatewayv2_integration" "service" {
  api_id                 = aws_apigatewayv2_api.service.id
  integration_type       = "AWS_PROXY"
  integration_uri        = aws_lambda_function.service.invoke_arn
  payload_format_version = "2.0"
}

resource "aws_apigatewayv2_route" "service" {
  api_id    = aws_apigatewayv2_api.service.id
  route_key = "$default"
  target    = "integrations/${aws_apigatewayv2_integration.service.id}"
}

# The access log is off because the paths of creators' pages are credentials.
resource "aws_apigatewayv2_stage" "service" {
  api_id      = aws_apigatewayv2_api.service.id
  name        = "$default"
  auto_deploy = true
}

resource "aws_lambda_permission" "requests" {
  statement_id  = "requests"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.service.function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_apigatewayv2_api.service.execution_arn}/*"
}

resource "aws_cloudwatch_event_rule" "work" {
  name                = "${var.name}-work"
  schedule_expression = "rate(1 minute)"
}

resource "aws_cloudwatch_event_target" "work" {
  rule = aws_cloudwatch_event_rule.work.name
  arn  = aws_lambda_function.service.arn
}

resource "aws_lambda_permission" "work" {
  statement_id  = "work"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.service.function_name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.work.arn
}

# No retries: the next scheduled invocation runs the jobs that a failed invocation left.
resource "aws_lambda_function_event_invoke_config" "work" {
  function_name          = aws_lambda_function.service.function_name
  maximum_retry_attempts = 0
}
