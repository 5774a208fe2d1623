/**
 * The API as called from this machine. A socket costs five times as much as the request, and `SameAnswers` shows that both
 * give the same responses. Therefore only the long suites use sockets here.
 */
import { TestApi } from "@partner-commentary/test/TestApi"

export const layerLoopback = process.env["TEST_SOCKETS"] === "true" ? TestApi.layerHttp : TestApi.layerLoopback
