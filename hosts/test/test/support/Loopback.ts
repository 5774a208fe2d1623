/**
 * Calls the API with the caller's address 127.0.0.1. A call over a socket takes five times as long as a direct call, so
 * only the long test suites call the API over sockets. The `SameAnswers` tests show that both kinds of calls get the
 * same responses.
 */
import { TestApi } from "@partner-commentary/test/TestApi"

export const layerTestApi = process.env["TEST_SOCKETS"] === "true" ? TestApi.layerHttp : TestApi.layerLoopback
