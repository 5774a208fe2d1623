/**
 * The stylesheet of all creators' pages. Each page contains the stylesheet inline, and the content security policy
 * allows the stylesheet by its hash.
 */

export const pageStylesheet = `
:root{--paper:#f7f5f0;--sheet:#fffefb;--ink:#1b1a17;--soft:#5c584f;--line:#dad5c8;--field:#8a8478;--accent:#a8321a;--on-accent:#fff;--wash:#f6e9e3;
--serif:ui-serif,"Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Liberation Serif",serif;--sans:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",sans-serif;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--paper:#161513;--sheet:#1f1e1b;--ink:#eeebe3;--soft:#aca69a;--line:#38352f;--field:#7d776b;--accent:#ff9a7c;--on-accent:#1b1a17;--wash:#33231d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 var(--sans);overflow-wrap:anywhere}
header,main,footer{max-width:46rem;margin-inline:auto;padding-inline:1.25rem}
header{display:flex;align-items:baseline;justify-content:space-between;gap:.9rem 1rem;flex-wrap:wrap;padding-block:1.5rem 0}
header::after{content:"";flex-basis:100%;height:1px;background:var(--ink)}
.brand{font-weight:750;letter-spacing:-.01em}
.brand::before{content:"";display:inline-block;width:.72em;height:.72em;margin-right:.5em;background:var(--accent)}
.status{color:var(--soft);font-size:.875rem}
main{padding-block:clamp(1.5rem,5vw,3rem)}
main>:last-child{margin-bottom:0}
h1,h2,blockquote,.prose{font-family:var(--serif)}
h1{font-size:clamp(2rem,6.5vw,3.1rem);line-height:1.08;letter-spacing:-.02em;font-weight:600;margin:0 0 1.25rem;text-wrap:balance}
.name{display:inline-block}
h2{font-size:1.45rem;line-height:1.2;font-weight:600;margin:0 0 .6rem;letter-spacing:-.01em}
p{margin:0 0 1rem}
.lead{font-size:1.175rem;line-height:1.5;max-width:38rem;margin-bottom:0}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.steps{display:flex;gap:.5rem;list-style:none;padding:0;margin:0 0 1.75rem;font-size:.8125rem;color:var(--soft)}
.steps li{flex:1;border-top:3px solid var(--line);padding-top:.45rem}
.steps .done{border-color:var(--ink)}
.steps [aria-current]{border-color:var(--accent);color:var(--ink);font-weight:700}
figure{margin:clamp(1.5rem,5vw,2.25rem) 0}
figcaption{font-size:.9375rem;color:var(--soft);margin-bottom:.6rem}
blockquote{margin:0;padding-left:1.25rem;border-left:3px solid var(--accent);font-size:clamp(1.3rem,4vw,1.6rem);line-height:1.38;white-space:pre-line}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:1rem 2rem;margin:0 0 clamp(1.75rem,5vw,2.75rem);padding-block:1rem;border-block:1px solid var(--line)}
.facts dt{font-size:.8125rem;color:var(--soft)}
.facts dd{margin:0;font-weight:650;line-height:1.4}
dl.who{display:flex;flex-wrap:wrap;gap:.75rem 1rem}
.who div{flex:1 1 auto;width:min-content;min-width:min(8rem,100%);max-width:100%}
.who dd{display:flex;align-items:center;min-height:2rem}
.who bdi,time{min-width:0;overflow-wrap:break-word}
.persona{display:flex;align-items:center;gap:.6rem}
.initials{flex:none;display:inline-grid;place-items:center;width:2rem;height:2rem;border-radius:50%;background:var(--ink);color:var(--paper);font-size:.75rem;font-weight:700}
.initials:empty{display:none}
section{margin-bottom:2.5rem;scroll-margin-top:1rem}
.sheet{background:var(--sheet);border:1px solid var(--line);padding:clamp(1.1rem,4vw,2rem)}
.prose{font-size:1.2rem;line-height:1.6;white-space:pre-line;max-width:36em}
.lead+.note{margin:.75rem 0 0}
h2 .note{font:400 .9375rem/1 var(--sans);letter-spacing:0}
.prose+form{margin-top:1.75rem}
form+p{margin-top:1rem}
.sheet.prose{max-width:none}
.note{color:var(--soft);font-size:.9375rem}
label{display:block;font-weight:650;margin-bottom:.25rem}
.hint,.error{font-size:.9375rem;margin:0 0 .5rem}
.hint{color:var(--soft)}
.error{color:var(--accent);font-weight:650}
textarea{display:block;width:100%;font:1.125rem/1.55 var(--serif);color:inherit;background:var(--sheet);border:1px solid var(--field);border-radius:2px;padding:.75rem .9rem;margin-bottom:1rem;resize:vertical;scroll-margin-top:9rem}
.sheet textarea,details textarea{background:var(--paper)}
textarea[aria-invalid]{border:2px solid var(--accent)}
button{font:650 1.0625rem/1.3 var(--sans);min-height:3rem;padding:.75rem 1.5rem;border:2px solid var(--accent);border-radius:2px;background:var(--accent);color:var(--on-accent);cursor:pointer}
button.quiet{background:none;color:var(--ink);border-color:var(--field)}
button:hover{box-shadow:0 0 0 2px var(--paper),0 0 0 4px currentColor}
details{border-bottom:1px solid var(--line)}
details:first-of-type{border-top:1px solid var(--line)}
main>:last-child>details:last-child{border-bottom:0}
details+.note{margin:1rem 0}
summary{cursor:pointer;padding:.95rem 0;font-weight:650}
details>form,details>.fold{padding:.25rem 0 1.5rem}
.refused,.said{padding:1.1rem 1.25rem;margin-bottom:1.75rem;border-left:4px solid var(--accent);background:var(--wash)}
.refused h2,.said h2{font-family:var(--sans);font-size:1.0625rem;margin-bottom:.25rem}
.refused p:last-child,.said p:last-child{margin:0}
.requests{list-style:none;padding:0;margin:2rem 0 0;border-top:1px solid var(--line)}
.requests li{padding:1.5rem 0;border-bottom:1px solid var(--line)}
.requests a{font:600 1.3rem/1.35 var(--serif);text-decoration-thickness:1px}
.requests li:last-child{border-bottom:0}
.requests p{margin:.4rem 0 0}
table{width:100%;border-collapse:collapse;font-size:.9375rem}
th{text-align:left;font-weight:650;color:var(--soft)}
td{min-width:8rem}
th,td{padding:.7rem .75rem .7rem 0;border-bottom:1px solid var(--line);vertical-align:top}
pre{font:.9375rem/1.6 ui-monospace,"Cascadia Mono",Menlo,Consolas,"Liberation Mono",monospace;white-space:pre-wrap;margin:0}
footer{padding-block:0 3rem;color:var(--soft);font-size:.9375rem}
footer::before{content:"";display:block;height:1px;margin-bottom:1.5rem;background:var(--line)}
footer form{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.75rem 1.5rem;margin-bottom:1.25rem}
footer p{margin:0}
footer form p{flex:1 1 16rem}
#desk-beside{display:block}
footer p+p{margin-top:1rem}
footer button.quiet{font-size:.9375rem;min-height:2.75rem;padding:.5rem 1rem}
@media (max-width:30rem){button{width:100%}.who dd{font-size:.9375rem}.who div:first-child{flex-grow:99}.initials{width:1.75rem;height:1.75rem}header{row-gap:.15rem}.status{flex-basis:100%}header::after{margin-top:.75rem}th:first-child,td:first-child{display:none}}
@media (prefers-reduced-motion:no-preference){.working{display:inline-block}
.working::before{content:"";display:inline-block;width:.55em;height:.55em;margin-right:.45em;border-radius:50%;background:var(--accent);animation:pulse 1.6s ease-in-out infinite}@keyframes pulse{50%{opacity:.15}}}
@media print{footer,form,details{display:none}}
`
