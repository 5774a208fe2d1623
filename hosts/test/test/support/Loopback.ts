/**
 * Calls the API with the caller's address 127.0.0.1. A call over a socket takes five times as long as a direct call,
 * and the `SameAnswers` tests show that the responses are the same. Therefore only the long test suites call the API
 * over sockets.
 */
import { TestApi } from "@partner-commentary/test/TestApi"

export const layerTestApi = process.env["TEST_SOCKETS"] === "true" ? TestApi.layerHttp : TestApi.layerLoopback
