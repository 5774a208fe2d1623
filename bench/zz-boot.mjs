import { TestPartnerCommentary } from "@partner-commentary/test"
import inspector from "node:inspector"
import {writeFileSync} from "node:fs"
const c0=process.cpuUsage(); const t1=performance.now()
let session
if(process.argv[2]){ session=new inspector.Session(); session.connect(); await new Promise(r=>session.post("Profiler.enable",r)); await new Promise(r=>session.post("Profiler.setSamplingInterval",{interval:100},r)); await new Promise(r=>session.post("Profiler.start",r))}
const pc = await TestPartnerCommentary.make()
const t2=performance.now(); const c=process.cpuUsage(c0)
if(session) await new Promise(r=>session.post("Profiler.stop",(e,{profile})=>{writeFileSync(process.argv[2],JSON.stringify(profile));r()}))
console.log("first",(t2-t1).toFixed(1),"cpu",((c.user+c.system)/1000).toFixed(1))
process.exit()
