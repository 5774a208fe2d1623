/**
 * Calls the API from this machine. A call over a socket takes five times as long, and the `SameAnswers` tests show that
 * the responses are the same. Therefore only the long suites use sockets here.
 */
import { TestApi } from "@partner-commentary/test/TestApi"

export const layerTestApi = process.env["TEST_SOCKETS"] === "true" ? TestApi.layerHttp : TestApi.layerLoopback
