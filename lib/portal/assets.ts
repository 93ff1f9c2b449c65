/** Written by `npm run generate`; commit it, do not edit it. */
export const portalScript = `\
(()=>{var g=document.querySelector(".shell").dataset,de=document.getElementById("announcer");function p(e){de.textContent=e}function s(e,t=document){return[...t.querySelectorAll(e)]}function c(e,t={},...n){let o=Object.assign(document.createElement(
e),t);return o.append(...n),o}function U({target:e}){return e instanceof HTMLInputElement?!/^(checkbox|radio)$/.test(e.type):
e instanceof HTMLTextAreaElement||e instanceof HTMLSelectElement}async function j(e,t){let n=!0;try{await navigator.clipboard.
writeText(t.textContent)}catch{n=!1,getSelection()?.selectAllChildren(t)}return e.textContent=n?"Copied":"Selected",setTimeout(
()=>e.textContent="Copy",2e3),n}var ue=3e3,L=c("p",{className:"callout warn",id:"connection",hidden:!0});document.getElementById("main").prepend(L);var E=!1,
P=!1,N=null;async function me(){try{return(await fetch("/api/healthz",{cache:"no-store",signal:AbortSignal.timeout(1e4)})).
status<500}catch{return!1}}async function m(){if(P)return;P=!0;let e=await me();P=!1,e?E&&(E=!1,L.hidden=!0,p("Connected"),
N?location.assign(N):document.dispatchEvent(new Event("reconnected"))):(E||O("Reconnecting… This page may be out of date\\
."),E=!0,setTimeout(m,ue))}function O(e){L.textContent=e,p(e),L.hidden=!1}addEventListener("offline",m);addEventListener(
"online",m);document.addEventListener("click",e=>{let t=e.target.closest("a[href]");!E||!t||t.origin!==location.origin||
t.target||e.ctrlKey||e.metaKey||e.shiftKey||(e.preventDefault(),N=t.href,O(\`Reconnecting… \${t.textContent.trim()} open\\
s once connected.\`))});document.addEventListener("submit",e=>{E&&(e.preventDefault(),e.stopImmediatePropagation(),O("Rec\\
onnecting… Nothing was sent. Submit the form again once connected."))},!0);function V(e){return[...e.elements].filter(({name:t,type:n})=>t&&!/^(password|hidden|file|submit|button)$/.test(n))}function A(e){
return/^(checkbox|radio)$/.test(e.type)}function fe(e){return e instanceof HTMLSelectElement?[...e.options].some(t=>t.selected!==
t.defaultSelected):A(e)?e.checked!==e.defaultChecked:e.value!==e.defaultValue}function W(e,t){if(!e||e.method!=="post")return;
let n=e.querySelector("#refusal")!==null,o=V(e).filter(a=>n||fe(a));if(o.length===0)return;let r={me:g.me,page:location.
pathname+location.search,action:e.getAttribute("action"),values:o.map(a=>[a.name,a.value,A(a)&&a.checked]),sent:t};sessionStorage.
setItem("draft",JSON.stringify(r))}function pe({action:e,values:t}){let n=s("main form").find(r=>r.getAttribute("action")===
e&&t.every(([a])=>r.elements.namedItem(a)));if(!n)return;for(let[r,a,i]of t)for(let l of V(n).filter(u=>u.name===r))A(l)?
l.value===a&&(l.checked=i):l.value=a;n.prepend(c("p",{className:"callout info",role:"status"},"Your session ended, and n\\
othing was sent. Your input is restored.")),n.dispatchEvent(new Event("input",{bubbles:!0}))}var C=location.hash==="#dra\\
ft",d=JSON.parse(sessionStorage.getItem("draft")||"null"),he=sessionStorage.getItem("lost")==="yes";sessionStorage.removeItem(
"lost");C&&history.replaceState(null,"",location.pathname+location.search);d&&d.me!==g.me?sessionStorage.removeItem("dra\\
ft"):d&&(C||he)&&d.page===location.pathname+location.search?pe(d):d&&C?I(d.page):d&&d.sent&&sessionStorage.removeItem("d\\
raft");function I(e){sessionStorage.setItem("lost","yes"),location.replace(e)}document.addEventListener("input",e=>W(e.target.
form,!1));document.addEventListener("submit",e=>{let t=e.target;t.getAttribute("action")==="/sign-out"?sessionStorage.removeItem(
"draft"):e.defaultPrevented||W(t,!0)});var ge=new Intl.DateTimeFormat("en-GB",{day:"numeric",month:"short",year:"numeric",hour:"2-digit",minute:"2-digit"});function S(e){
for(let t of s("time[datetime]",e))t.textContent=ge.format(new Date(t.dateTime)).replace(" at ",", ");for(let t of s("[d\\
ata-copy]:not(:has(button))",e)){let n=\`Copy \${t.dataset.copy}\`;t.append(c("button",{type:"button",className:"quiet",ariaLabel:n},
"Copy"))}}S(document);document.addEventListener("click",async({target:e})=>{let t=e.closest("[data-copy] > button");t&&await j(
t,t.parentElement.querySelector("code"))&&p("Copied")});var D=new WeakMap;function Y(){for(let e of s("[data-counts]")){
let t=e.dataset.counts,n=performance.now();D.get(e)?.initial!==t&&D.set(e,{initial:t,from:n-1e3*Number(t)}),e.textContent=
Ee(Math.floor((n-D.get(e).from)/1e3))}}function Ee(e){let t=Math.floor(e/60),n=o=>String(o).padStart(2,"0");return e<1?"\\
under 1 s":t<1?\`\${e} s\`:t<60?\`\${t} min \${n(e%60)} s\`:\`\${Math.floor(t/60)} h \${n(t%60)} min\`}setInterval(Y,1e3);document.
addEventListener("refreshed",Y);var R=new URL(location.href);R.searchParams.has("done")&&(R.searchParams.delete("done"),
history.replaceState(null,"",R));for(let e of s(".side nav, .tabs")){let t=e.querySelector("[aria-current]");t&&(e.scrollLeft=
t.offsetLeft-(e.clientWidth-t.offsetWidth)/2)}document.addEventListener("click",e=>{for(let t of s("details.menu[open]"))
t.contains(e.target)||(t.open=!1)});var ye={DETAILS:["open"],INPUT:["value","checked"],OPTION:["selected"]};function y(e,t){e.nodeType!==t.nodeType||e.nodeName!==
t.nodeName||w(e)!==w(t)?e.replaceWith(t):e instanceof Element&&t instanceof Element?e.isEqualNode(t)||(Se(e,t),Te(e,t)):
e.nodeValue!==t.nodeValue&&(e.nodeValue=t.nodeValue)}function w(e){return e instanceof Element?e.id:""}function Se(e,t){
let n=ye[e.nodeName]??[];for(let{name:o}of[...e.attributes])!t.hasAttribute(o)&&!n.includes(o)&&e.removeAttribute(o);for(let{
name:o,value:r}of t.attributes)e.getAttribute(o)!==r&&!n.includes(o)&&e.setAttribute(o,r);e instanceof HTMLProgressElement&&
(e.value=t.value)}function Te(e,t){let n=new Set([...t.children].map(({id:i})=>i)),o=new Map;for(let i of[...e.children])
i.id&&!n.has(i.id)?i.remove():i.id&&o.set(i.id,i);let r=e.firstChild,a=()=>{let i=r;r=i.nextSibling,i.remove()};for(let i of[
...t.childNodes]){if(i instanceof Element)for(;r instanceof Text;)a();let l=w(i),u=l?o.get(l):r&&!w(r)&&r.nodeName===i.nodeName?
r:void 0;if(!u){e.insertBefore(i,r);continue}u!==r&&e.insertBefore(u,r),r=u.nextSibling,y(u,i)}for(;r;)a()}document.addEventListener("submit",e=>{let t=e.target;t.method==="post"&&(t.dataset.sent?e.preventDefault():t.dataset.sent=
"yes")});function G(){for(let e of s("form[data-sent]"))delete e.dataset.sent}addEventListener("pageshow",G);addEventListener(
"keydown",({key:e})=>{e==="Escape"&&G()});for(let e of s("[data-ticks]"))e.hidden=!1,e.addEventListener("change",()=>{for(let t of s(
e.dataset.ticks))t.checked=e.checked});function ve(e){let t,n=0;e.addEventListener("input",()=>{clearTimeout(t),t=setTimeout(
o,500)});async function o(){let r=++n,a=document.getElementById(e.dataset.previews),i=new URLSearchParams([...new FormData(
e)]);i.set("preview","yes"),a.ariaBusy="true";try{let l=await fetch(e.action,{method:"POST",body:i,headers:{accept:"text\\
/html"}}),H=new DOMParser().parseFromString(await l.text(),"text/html").getElementById(a.id);r===n&&H&&(S(H),y(a,H))}catch{}finally{
r===n&&(a.ariaBusy=null)}}}s("form[data-previews]").forEach(ve);var z=["provisioning","active","failed","suspending","suspended","resuming","updating","removing","removed"],Ze=z.filter(
e=>e!=="removed");var be=["provisioning","active","failed","removing","removed"],Le=["running","paused","completed","aborted"];function F(e,t){
return\`\${e}Update\${t.charAt(0).toUpperCase()}\${t.slice(1)}\`}var Q=[...z.map(e=>F("Spoke",e)),...be.map(e=>F("Federation",
e)),...Le.map(e=>F("Rollout",e))];var ee=15e3,we=60,Me=400,{hub:_,spoke:X,poll:Z}=g,h=new Set,$=!1,M=!1,te=0,q;async function ke(){if($){M=!0;return}$=!0;
let e=performance.now(),t=h;h=new Set;try{let n=t?\`\${location.pathname}?rows=\${[...t].join()}\`:location.href,o=await fetch(
n,{headers:{accept:"text/html"}});o.ok||(h=null),o.ok?He(new DOMParser().parseFromString(await o.text(),"text/html"),t):
o.status===401?I(location.href):o.status===403?location.replace(location.href):o.status===404?location.replace(await xe()):
o.status>500&&m()}catch{h=null,m()}te=performance.now()+Math.max(Me,4*(performance.now()-e)),$=!1,ne()}async function xe(){
for(let{href:e}of s(".crumbs a").reverse())if((await fetch(e)).ok)return e;return location.href}function He(e,t){let n=()=>document.
getElementById("state")?.textContent,o=n();S(e);for(let a of s("[data-live][id]")){let i=e.getElementById(a.id);i&&!a.parentElement.
closest("[data-live][id]")&&y(a,i)}for(let a of t??[]){let i=document.getElementById(a),l=e.getElementById(a);i&&l?y(i,l):
k()}let r=n();r&&r!==o&&(p(\`\${document.querySelector("h1").textContent}: \${r}\`),document.getElementById("flash")?.remove()),
document.dispatchEvent(new Event("refreshed"))}function k(){h=null,J()}function Pe(e){if(X&&e&&e!==X)return;(!location.search&&
e?document.querySelector(\`#spokes #\${e}\`):null)?h?.add(e):h=null,J()}function J(){document.hidden&&(M=!0),!(q||document.
hidden)&&(q=setTimeout(()=>{q=void 0,ke()},Math.max(we,te-performance.now())))}function ne(){M&&(M=!1,J())}var f,T="unop\\
ened",B=g.since;function v(){if(!(!_||document.hidden||f&&f.readyState!==EventSource.CLOSED)){f=new EventSource(\`/api/fe\\
derations/\${_}/events?since=\${B}\`);for(let e of Q)f.addEventListener(e,({data:t,lastEventId:n})=>{B=n||B,Pe(JSON.parse(t).
spokeId)});f.addEventListener("open",()=>{T==="lost"&&k(),T="open"}),f.addEventListener("error",()=>{T="lost",m()})}}function oe(){
f&&(f.close(),T="lost")}v();document.addEventListener("visibilitychange",()=>{document.hidden?oe():ne(),v()});addEventListener(
"pagehide",oe);addEventListener("pageshow",({persisted:e})=>{e&&v()});document.addEventListener("reconnected",()=>{v(),k()});
(_||Z)&&setInterval(()=>{v(),T!=="open"&&k()},1e3*Number(Z??0)||ee);var K=null;async function re(){if(!document.hidden)try{
let e=K?{"if-none-match":K}:void 0,t=await fetch("/api/notifications/unread-count",e&&{headers:e});if(t.status!==200)return;
K=t.headers.get("etag");let{count:n}=await t.json(),o=document.getElementById("unread");o.hidden=n===0,o.firstElementChild.
textContent=n>99?"99+":String(n)}catch{m()}}setInterval(re,ee);document.addEventListener("refreshed",re);async function Ne(e){let t=await fetch("/api/auth/passkey-options",{method:"POST",headers:{"content-type":"application/j\\
son"},body:JSON.stringify({for:e})}),n=await t.json();if(!t.ok)throw new Error(\`\${n.message}.\`);return n}async function Oe({
passkey:e,options:t}){if(t){let o=PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(t));return await navigator.
credentials.create({publicKey:o})}let n=PublicKeyCredential.parseRequestOptionsFromJSON(await Ne(e));return await navigator.
credentials.get({publicKey:n})}function Ce({id:e,response:t}){let{clientDataJSON:n}=t;if("signature"in t){let{authenticatorData:o,
signature:r}=t;return{id:e,response:{clientDataJSON:n,authenticatorData:o,signature:r}}}return{id:e,response:{clientDataJSON:n,
attestationObject:t.attestationObject}}}async function Ae(e,t){t.hidden=!0;try{let n=await Oe(e.dataset);e.querySelector(
"[data-response]").value=JSON.stringify(Ce(n.toJSON())),e.submit()}catch(n){let o=n instanceof DOMException;t.textContent=
o?"The passkey was not used. Try again.":n.message,t.hidden=!1}}if(globalThis.PublicKeyCredential&&"parseRequestOptionsF\\
romJSON"in PublicKeyCredential)for(let e of s("form[data-passkey]")){let t=e.querySelector("[data-status]");e.hidden=!1,
e.addEventListener("submit",n=>{n.preventDefault(),Ae(e,t)});for(let n of s("[data-no-passkeys]"))n.hidden=!0}var ae={h:"hubs",s:"spokes",o:"operations",r:"requests",n:"notifications",a:"audit",u:"users",t:"tokens"},b=!1,x=localStorage.
getItem("keys")!=="off";function se(e){return document.querySelector(\`.side a[href="/\${ae[e]}"]\`)}var ce=c("button",{},"\\
Shortcuts");ce.addEventListener("click",le);document.querySelector(".outer").append(c("li",{},ce));function le(){(document.
querySelector("dialog.keys")??Ie()).showModal()}function Ie(){let e=Object.entries(ae).filter(([i])=>se(i)),t=[["/","Sea\\
rch on this page"],...e.map(([i,l])=>[\`g \${i}\`,\`Go to \${l==="tokens"?"API tokens":l}\`]),["j  k","Next and previous item \\
in a list"],["c","Create"],["?","Show these shortcuts"]],n=c("dl");for(let[i,l]of t)n.append(c("dt",{},c("kbd",{},i)),c(
"dd",{},l));let o=c("input",{type:"checkbox",checked:x});o.addEventListener("change",()=>{x=o.checked,localStorage.setItem(
"keys",x?"on":"off")});let r=c("button",{className:"quiet"},"Close"),a=c("dialog",{className:"keys"},c("h2",{id:"keys-ti\\
tle"},"Keyboard shortcuts"),n,c("label",{className:"tickbox"},o,"Enable shortcuts"),r);return a.setAttribute("aria-label\\
ledby","keys-title"),r.addEventListener("click",()=>a.close()),document.body.append(a),a}function De(){let e=document.querySelector(
"main input[type=search]");e?.focus(),e?.select()}function ie(e){let t=s(".list .cover").filter(({offsetParent:o})=>o!==
null),n=t.indexOf(document.activeElement);t[Math.min(t.length-1,Math.max(0,n<0?0:n+e))]?.focus()}var Re={"/":De,"?":le,g(){
b=!0,setTimeout(()=>b=!1,1500)},j:()=>ie(1),k:()=>ie(-1),c:()=>document.querySelector("[data-create]")?.click()};function Fe(){
for(let e of s("details.menu[open]"))e.open=!1,e.querySelector("summary").focus()}document.addEventListener("keydown",e=>{
let{key:t}=e;if(t==="Escape"&&Fe(),!x||e.ctrlKey||e.metaKey||e.altKey||document.querySelector("dialog[open]")||U(e))return;
let n=b?se(t):null,o=b?n&&(()=>n.click()):Re[t];b=!1,o&&(e.preventDefault(),o())});})();
`;

export const passkeyScript = `\
(()=>{function i(t,e=document){return[...e.querySelectorAll(t)]}async function r(t){let e=await fetch("/api/auth/passkey-options",{method:"POST",headers:{"content-type":"application/js\\
on"},body:JSON.stringify({for:t})}),n=await e.json();if(!e.ok)throw new Error(\`\${n.message}.\`);return n}async function s({
passkey:t,options:e}){if(e){let a=PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(e));return await navigator.
credentials.create({publicKey:a})}let n=PublicKeyCredential.parseRequestOptionsFromJSON(await r(t));return await navigator.
credentials.get({publicKey:n})}function c({id:t,response:e}){let{clientDataJSON:n}=e;if("signature"in e){let{authenticatorData:a,
signature:o}=e;return{id:t,response:{clientDataJSON:n,authenticatorData:a,signature:o}}}return{id:t,response:{clientDataJSON:n,
attestationObject:e.attestationObject}}}async function l(t,e){e.hidden=!0;try{let n=await s(t.dataset);t.querySelector("\\
[data-response]").value=JSON.stringify(c(n.toJSON())),t.submit()}catch(n){let a=n instanceof DOMException;e.textContent=
a?"The passkey was not used. Try again.":n.message,e.hidden=!1}}if(globalThis.PublicKeyCredential&&"parseRequestOptionsF\\
romJSON"in PublicKeyCredential)for(let t of i("form[data-passkey]")){let e=t.querySelector("[data-status]");t.hidden=!1,
t.addEventListener("submit",n=>{n.preventDefault(),l(t,e)});for(let n of i("[data-no-passkeys]"))n.hidden=!0}})();
`;

export const portalStyle = `\
:root{color-scheme:light dark;--ground: #f5f6f3;--surface: #ffffff;--sunken: #eceee9;--line: #d8ddd5;--edge: #7d867b;--ink:
#191f1b;--ink-soft: #4d574f;--accent: #0a5f50;--on-accent: #ffffff;--accent-soft: #dcefe8;--good: #17652f;--good-soft: #def2e2;
--warn: #7d4b00;--warn-soft: #fbeccf;--bad: #a3211b;--bad-soft: #fbe4e1;--info: #1d4f91;--info-soft: #e1ebf8;--shadow: 0
1px 2px rgb(25 31 27 / .06), 0 8px 24px rgb(25 31 27 / .07);--sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI",
Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;--mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas,
"DejaVu Sans Mono", "Liberation Mono", monospace;--tiny: .75rem;--small: .875rem;--body: 1rem;--large: 1.1875rem;--title:
1.5rem;--display: clamp(1.75rem, 1.4rem + 1.6vw, 2.375rem);--s1: .25rem;--s2: .5rem;--s3: .75rem;--s4: 1rem;--s5: 1.5rem;
--s6: 2.5rem;--s7: 4rem;--round: .625rem;--round-small: .375rem;--measure: 66ch}@media(prefers-color-scheme:dark){:root{
--ground: #101412;--surface: #181d1a;--sunken: #0b0e0c;--line: #2c342f;--edge: #748178;--ink: #e8ede9;--ink-soft: #a8b3ab;
--accent: #70d4b9;--on-accent: #06231c;--accent-soft: #17342c;--good: #7fd796;--good-soft: #14311d;--warn: #efbd6a;--warn-soft:
#37280c;--bad: #ff9d94;--bad-soft: #401a17;--info: #9cc3ff;--info-soft: #15294a;--shadow: 0 1px 2px rgb(0 0 0 / .4), 0 8px
24px rgb(0 0 0 / .35)}}*,:before,:after{box-sizing:border-box}html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:var(--s5)}
body{margin:0;min-height:100vh;background:var(--ground);color:var(--ink);font:var(--body)/1.6 var(--sans);text-rendering:optimizeLegibility}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure,pre,fieldset{margin:0}h1,h2,h3,h4{line-height:1.2;font-weight:650;letter-spacing:-.012em;
text-wrap:balance}h1{font-size:var(--display);letter-spacing:-.022em}h2{font-size:var(--title)}h3{font-size:var(--large)}
h4{font-size:var(--body)}p{max-width:var(--measure);text-wrap:pretty}a{color:var(--accent);text-decoration-thickness:.06em;
text-underline-offset:.18em}a:hover{text-decoration-thickness:.12em}code,pre,kbd{font-family:var(--mono);font-size:.875em}
pre{overflow-x:auto}:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}::selection{background:var(--accent);
color:var(--on-accent)}.page{max-width:28rem;margin:0 auto;padding:clamp(var(--s5),12vh,8rem) var(--s4) var(--s6);display:grid;
gap:var(--s5)}.card{background:var(--surface);border:1px solid var(--line);border-radius:var(--round);box-shadow:var(--shadow);
padding:clamp(var(--s4),5vw,2rem);display:grid;gap:var(--s4)}.brand{display:inline-flex;align-items:center;gap:var(--s2);
color:var(--ink);font-weight:650;letter-spacing:-.01em;text-decoration:none}.brand svg{width:1.75rem;height:1.75rem;color:var(--accent);
flex:none}.lead{color:var(--ink-soft)}form{display:grid;gap:var(--s4)}label{display:grid;gap:var(--s1);font-weight:600;font-size:var(--small)}
.hint{font-weight:400;font-size:var(--small);color:var(--ink-soft)}input,select,textarea{width:100%;min-height:2.75rem;padding:.55rem
.75rem;font:inherit;font-size:var(--body);font-weight:400;color:var(--ink);background:var(--surface);border:1px solid var(--edge);
border-radius:var(--round-small)}input[type=checkbox],input[type=radio]{width:1.15rem;min-height:1.15rem;height:1.15rem;
accent-color:var(--accent)}input::placeholder{color:var(--ink-soft);opacity:1}input:focus-visible,select:focus-visible,textarea:focus-visible{
outline-offset:0;border-color:var(--accent);border-radius:var(--round-small)}button,.button{display:inline-flex;align-items:center;
justify-content:center;gap:var(--s2);min-height:2.75rem;padding:.5rem 1.1rem;font:inherit;font-weight:600;color:var(--on-accent);
background:var(--accent);border:1px solid transparent;border-radius:var(--round-small);cursor:pointer;text-decoration:none}
button:hover,.button:hover{filter:brightness(1.08)}button.quiet,.button.quiet{color:var(--accent);background:transparent;
border-color:var(--line)}.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:var(--s3);top:-4rem;z-index:9;padding:var(--s2) var(--s4);background:var(--surface);border-radius:var(--round-small)}
.skip:focus{top:var(--s3)}@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}@media print{body{background:#fff;
color:#000}.card{box-shadow:none}}[aria-invalid=true]{border-color:var(--bad)}.callout{padding:var(--s3) var(--s4);border-radius:var(--round-small);background:var(--accent-soft);
color:var(--ink);border-inline-start:3px solid var(--accent)}.callout.with-action{display:flex;flex-wrap:wrap;align-items:center;
justify-content:space-between;gap:var(--s3) var(--s4)}.callout.good{background:var(--good-soft);border-color:var(--good)}
.callout.warn{background:var(--warn-soft);border-color:var(--warn)}.callout.bad{background:var(--bad-soft);border-color:var(--bad)}
form.stack{max-width:34rem}.field{display:grid;gap:var(--s1);min-width:0}.field label{display:block}.field .problem{font-size:var(--small);
font-weight:600;color:var(--bad)}.field.tick{grid-template-columns:auto minmax(0,1fr);gap:var(--s1) var(--s2);align-items:center}
.field.tick .hint{grid-column:2}details>.rest{display:grid;gap:var(--s4);margin-top:var(--s4)}.form-actions{display:flex;
flex-wrap:wrap;gap:var(--s3);align-items:center}.allow label{font-weight:400}.allow{margin-block-start:-.75rem}.shell{display:grid;grid-template-columns:14.5rem minmax(0,1fr);min-height:100vh}.side{position:sticky;top:0;height:100vh;
display:flex;flex-direction:column;gap:var(--s4);padding:var(--s5) var(--s3) var(--s4);border-inline-end:1px solid var(--line);
overflow-y:auto}.side .brand{padding:0 var(--s3);font-size:var(--large)}.side nav{flex:1;display:flex;flex-direction:column;
gap:var(--s4)}.side ul{list-style:none;padding:0;display:grid;gap:2px}.side nav a{position:relative;display:flex;align-items:center;
gap:.65rem;min-height:2.25rem;padding:.3rem var(--s3);border-radius:var(--round-small);color:var(--ink-soft);font-size:var(--small);
font-weight:550;text-decoration:none}.side nav a:hover{background:var(--sunken);color:var(--ink)}.side nav a[aria-current]{
background:var(--accent-soft);color:var(--ink)}.side nav a[aria-current] .icon{color:var(--accent)}.side .own{border-top:1px
solid var(--line);padding-top:var(--s4)}.count{margin-inline-start:auto;min-width:1.5rem;padding:0 .4rem;border-radius:1rem;
background:var(--accent);color:var(--on-accent);font-size:var(--tiny);font-weight:650;line-height:1.25rem;text-align:center;
font-variant-numeric:tabular-nums}.me{display:flex;align-items:center;gap:var(--s2);padding:var(--s2) var(--s1) var(--s2)
var(--s3);border-top:1px solid var(--line)}.me .who{flex:1;min-width:0;display:grid;font-size:var(--small);line-height:1.35}
.me b{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:600}.me form{display:block}.side .outer{display:flex;
align-items:center;gap:0 var(--s4);margin-top:auto;padding:0 var(--s3)}.side .outer a,.outer button{min-height:1.5rem;padding:0;
color:var(--ink-soft);background:none;font-size:var(--tiny);font-weight:400;text-decoration:underline;text-decoration-thickness:.06em;
text-underline-offset:.18em}.outer button{border:0}.outer li{display:flex;align-items:center}main{width:100%;max-width:74rem;
padding:var(--s5) clamp(var(--s4),3.4vw,3rem) var(--s7);display:grid;gap:var(--s5);align-content:start}main:focus{outline:none}
main>:empty,.column>:empty,.button-row:empty{display:none}@media(max-width:56rem){.shell{display:block}.side{position:static;
height:auto;display:grid;grid-template-columns:minmax(0,1fr) auto;gap:var(--s2) var(--s3);padding:var(--s3) var(--s4) 0;
border:0;border-bottom:1px solid var(--line);overflow:visible}.side .brand{padding:0;align-self:center}.me{grid-row:1;grid-column:2;
border:0;padding:0}.me .who{text-align:end;max-width:12rem}.side nav{grid-column:1 / -1;min-width:0;flex-direction:row;gap:2px;
margin:0 calc(-1 * var(--s4));padding:2px var(--s4) var(--s2);overflow-x:auto;scrollbar-width:none}.side nav ul{display:flex}
.side nav a{white-space:nowrap;min-height:2.75rem}.side .own{border:0;padding:0}.side .outer{margin:0;align-items:center}
.outer li:has(button){display:none}.count{margin-inline-start:0}main{padding-top:var(--s4)}}@media(max-width:26rem){.me .who{
display:none}}@media print{.side{display:none}.shell{display:block}}.icon{width:1.15rem;height:1.15rem;flex:none}.lead .icon{width:1em;height:1em;vertical-align:-.12em}.soft{color:var(--ink-soft)}
.head{display:grid;gap:var(--s2)}.crumbs ol{list-style:none;display:flex;flex-wrap:wrap;padding:0;font-size:var(--small)}
.crumbs li{display:flex;min-width:0;overflow-wrap:anywhere}.crumbs li:not(:last-child):after{content:"/";padding:0 .45rem;
color:var(--ink-soft)}.crumbs a{color:var(--ink-soft);text-decoration:none}.crumbs a:hover{text-decoration:underline}.title{
display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2) var(--s3);min-height:2.75rem}.title h1{font-size:var(--title);
overflow-wrap:anywhere}.title .button-row{margin-inline-start:auto}.button-row{display:flex;flex-wrap:wrap;gap:var(--s2);
align-items:center}.tabs{margin-top:var(--s2);border-bottom:1px solid var(--line);overflow-x:auto;scrollbar-width:none}.tabs
ul{list-style:none;padding:0;display:flex;gap:var(--s4)}.tabs a{display:block;padding:.55rem 0 .6rem;color:var(--ink-soft);
font-size:var(--small);font-weight:600;text-decoration:none;border-bottom:2px solid transparent;white-space:nowrap}.tabs
a:hover{color:var(--ink)}.tabs a[aria-current]{color:var(--ink);border-color:var(--accent)}@media(max-width:56rem){.title
.button-row{position:relative;margin-inline-start:0;width:100%}.title .menu{position:static}.title .menu>ul{inset-inline:0
auto}}@media print{.button-row,.tabs{display:none}}button,.button{min-height:2.25rem;padding:.3rem .85rem;font-size:var(--small)}button.quiet,.button.quiet{color:var(--ink);
background:var(--surface);border-color:var(--line)}button.quiet:hover,.button.quiet:hover{border-color:var(--edge);filter:none}
button.danger,.button.danger{color:var(--bad);background:var(--surface);border-color:var(--bad)}button.danger:hover,.button.danger:hover{
background:var(--bad-soft);filter:none}button.plain{color:var(--ink-soft);background:none;min-width:2.25rem;padding:.3rem}
button.plain:hover{color:var(--ink);background:var(--sunken);filter:none}input,select,textarea{min-height:2.5rem;padding:.4rem
.7rem;font-size:.9375rem}form.inline{display:inline-flex;gap:var(--s2);align-items:center}.filters{display:flex;flex-wrap:wrap;
gap:var(--s2);align-items:end}.filters .field{flex:0 1 11rem}.filters .field:has([type=search]){flex:1 1 16rem;max-width:22rem}
.filters button{min-height:2.5rem}.copy{display:flex;flex-wrap:wrap;gap:var(--s2);align-items:center;min-width:0}.copy code{
padding:.35rem .6rem;background:var(--sunken);border-radius:var(--round-small);overflow-wrap:anywhere;min-width:0}.progress{
display:grid;gap:var(--s1)}progress{appearance:none;width:100%;height:.4rem;border:0;border-radius:1rem;overflow:hidden;
background:var(--sunken);color:var(--accent)}progress::-webkit-progress-bar{background:var(--sunken);border-radius:1rem}
progress::-webkit-progress-value{background:var(--accent);border-radius:1rem}progress::-moz-progress-bar{background:var(--accent);
border-radius:1rem}pre.log{padding:var(--s3) var(--s4);background:var(--sunken);border-radius:var(--round-small);font-size:var(--tiny);
line-height:1.55;max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}.menu{position:relative}.menu
summary{list-style:none;cursor:pointer}.menu summary::-webkit-details-marker{display:none}.menu>ul{position:absolute;z-index:5;
inset-inline-end:0;top:calc(100% + .25rem);min-width:15rem;list-style:none;padding:var(--s1);background:var(--surface);border:1px
solid var(--line);border-radius:var(--round-small);box-shadow:var(--shadow)}.menu li a{display:block;padding:.45rem var(--s3);
border-radius:var(--round-small);color:var(--ink);font-size:var(--small);text-decoration:none}.menu li a:hover,.menu li a:focus-visible{
background:var(--accent-soft)}.menu li.danger a{color:var(--bad)}dialog{border:1px solid var(--line);border-radius:var(--round);
background:var(--surface);color:var(--ink);box-shadow:var(--shadow);padding:var(--s5);max-width:26rem;width:calc(100% - 2rem)}
dialog::backdrop{background:#00000059}dialog dl{display:grid;grid-template-columns:auto 1fr;gap:var(--s2) var(--s4);margin:var(--s4)
0;font-size:var(--small)}dialog button{margin-top:var(--s4)}label.tickbox{display:flex;align-items:center;gap:var(--s2)}
kbd{padding:.05rem .4rem;border:1px solid var(--line);border-bottom-width:2px;border-radius:.3rem;background:var(--sunken)}
@media(max-width:40rem){.filters .field{flex:1 1 8rem}.filters .field:has([type=search]){flex-basis:100%;max-width:none}}
@media(prefers-reduced-motion:no-preference){.badge .work{animation:turn 1.6s linear infinite}@keyframes turn{to{transform:rotate(1turn)}}}.panel{display:grid;gap:var(--s4);padding:var(--s4) clamp(var(--s4),2vw,var(--s5)) var(--s5);background:var(--surface);border:1px
solid var(--line);border-radius:var(--round);min-width:0}.panel>details{min-width:0}.panel>header{display:flex;flex-wrap:wrap;
gap:var(--s2);align-items:center;justify-content:space-between;min-height:2.25rem}.panel h2{font-size:var(--body)}.panel
h3{font-size:var(--small)}.two-columns{display:grid;gap:var(--s5);grid-template-columns:minmax(0,3fr) minmax(0,2fr);align-items:start}
.column{display:grid;gap:var(--s5);min-width:0}@media(max-width:64rem){.two-columns{grid-template-columns:minmax(0,1fr)}}
.badge{display:inline-flex;align-items:center;gap:.3rem;padding:.1rem .55rem .1rem .4rem;border-radius:1rem;font-size:var(--tiny);
font-weight:600;line-height:1.35rem;white-space:nowrap;color:var(--ink-soft);background:var(--sunken)}.badge .icon{width:.9rem;
height:.9rem;stroke-width:2.6}.badge.good{color:var(--good);background:var(--good-soft)}.badge.info{color:var(--info);background:var(--info-soft)}
.badge.warn{color:var(--warn);background:var(--warn-soft)}.badge.bad{color:var(--bad);background:var(--bad-soft)}.empty{
display:grid;gap:var(--s3);justify-items:center;text-align:center;padding:clamp(var(--s5),6vw,var(--s7)) var(--s4);border:1px
dashed var(--line);border-radius:var(--round)}.empty h2{font-size:var(--large)}.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));
gap:var(--s4)}.facts dt{font-size:var(--tiny);color:var(--ink-soft);font-weight:600}.facts dd{overflow-wrap:anywhere;font-size:.9375rem}
.counts{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));background:var(--surface);
border:1px solid var(--line);border-radius:var(--round);overflow:hidden}.counts li{box-shadow:1px 0 0 var(--line),0 1px 0
var(--line);padding:var(--s3) var(--s4);display:grid;align-content:start}.counts b{font-size:var(--title);font-weight:650;
line-height:1.3;font-variant-numeric:tabular-nums;letter-spacing:-.01em}.counts .none{color:var(--ink-soft);font-weight:450}
.counts i .icon{width:.8em;height:.8em}.counts .bad,.restore-tests .bad{color:var(--bad)}.counts .warn{color:var(--warn)}
.counts a{display:grid;align-content:start;color:inherit;text-decoration:none}.counts a:hover>span{text-decoration:underline}
.counts li span{font-size:var(--tiny);color:var(--ink-soft)}.list{list-style:none;padding:0;background:var(--surface);border:1px solid var(--line);border-radius:var(--round);overflow:hidden}
.list>li{position:relative;display:grid;gap:var(--s1) var(--s4);align-items:center;padding:var(--s3) var(--s4);min-height:3.75rem;
overflow-wrap:anywhere}.list>li+li{border-top:1px solid var(--line)}.list>li:hover{background:color-mix(in srgb,var(--sunken)
45%,transparent)}.list .name{display:grid;min-width:0;font-size:.9375rem;font-weight:600}.list .name a{color:var(--ink);
text-decoration:none}.list .name a:hover{text-decoration:underline}.list .cover:after{content:"";position:absolute;inset:0}
.list .cover:focus-visible{outline:none}.list>li:has(.cover:focus-visible){outline:2px solid var(--accent);outline-offset:-2px;
border-radius:var(--round-small)}.list .above{position:relative;z-index:1}.list a.above{text-decoration:underline}.tiny{
font-size:var(--tiny);font-weight:400}.small{font-size:var(--small)}.number{font-variant-numeric:tabular-nums;white-space:nowrap}
.scroll{position:relative;overflow-x:auto;border:1px solid var(--line);border-radius:var(--round);background:var(--surface)}
.panel .scroll{border-radius:var(--round-small)}table{border-collapse:collapse;width:100%;font-size:var(--small)}th{text-align:start;
font-size:var(--tiny);font-weight:600;color:var(--ink-soft);background:var(--sunken);white-space:nowrap}th,td{padding:.55rem
var(--s4);vertical-align:top}tbody tr+tr td{border-top:1px solid var(--line)}time{font-variant-numeric:tabular-nums}.pager{
margin:0}.list .progress{min-width:0}.spokes>li>.small{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;
overflow:hidden}.list>li>.badge{justify-self:end}.hubs>li{grid-template-columns:minmax(10rem,3fr) minmax(0,4fr) auto minmax(7.5rem,auto)}
.spokes>li{grid-template-columns:auto minmax(10rem,3fr) minmax(0,3fr) minmax(7.5rem,auto)}.spokes>li:not(:has(input)){grid-template-columns:minmax(10rem,3fr)
minmax(0,3fr) minmax(7.5rem,auto)}.fleet>li{grid-template-columns:auto minmax(10rem,3fr) minmax(0,3fr) 5.5rem minmax(7.5rem,auto)}
.list>li>.storage{white-space:nowrap;font-variant-numeric:tabular-nums}.storage .warn{display:inline-flex;align-items:center;
gap:var(--s1);color:var(--warn)}.plain>li{grid-template-columns:minmax(10rem,2fr) minmax(0,3fr) minmax(7.5rem,auto)}.panel
.list{border:0;margin:calc(-1 * var(--s3)) calc(-1 * var(--s4));border-radius:0}.marks{display:flex;flex-wrap:wrap;gap:var(--s2);
align-items:center}.bulk{align-items:center}.bulk .field{flex:0 1 auto;display:flex;flex-wrap:wrap;align-items:center;gap:var(--s2)}
.bulk select{width:auto}form:not(:has(.spokes>li))>.bulk{display:none}form:not(:has(:is(.spokes,.bulk) [name]:checked)) .bulk>
:not(label){visibility:hidden}.bulk label.small{display:flex;gap:var(--s2);align-items:center;min-height:2.5rem}.bulk label.small:has([hidden]){
display:none}@media(max-width:44rem){.hubs>li,.plain>li{grid-template-columns:minmax(0,1fr) auto}.spokes>li{grid-template-columns:auto
minmax(0,1fr) auto}.spokes>li:not(:has(input)){grid-template-columns:minmax(0,1fr) auto}.list>li>:nth-last-child(1){grid-row:1;
grid-column:-2}.list>li>.progress,.list>li>.small,.list>li>.marks{grid-column:1 / -1}.spokes>li:has(input)>.progress,.spokes>
li:has(input)>.small{grid-column:2 / -1}.fleet>li:has(input)>.progress,.fleet>li:has(input)>.small{grid-column:2 / -2}.list>
li>.storage{grid-row:2;grid-column:-2;justify-self:end}.list .created{display:none}}.steps{list-style:none;padding:0;display:grid;font-size:var(--small)}.steps li{position:relative;display:grid;grid-template-columns:1.5rem
minmax(0,1fr) 6.5rem;gap:0 var(--s3);align-items:center;min-height:2.25rem;color:var(--ink-soft);border-radius:var(--round-small)}
.steps li>.icon{justify-self:center;position:relative;z-index:1}.steps li:not(:last-child):after{content:"";position:absolute;
inset-inline-start:calc(.75rem - 1px);top:1.85rem;bottom:-.4rem;width:2px;background:var(--line)}.steps li.done:not(:last-child):after{
background:color-mix(in srgb,var(--good) 45%,transparent)}.steps .took{font-size:var(--tiny);font-variant-numeric:tabular-nums;
white-space:nowrap;text-align:end;color:var(--ink-soft)}.steps .done{color:var(--ink)}.steps .done .icon{color:var(--good)}
.steps .failed>.icon{color:var(--bad)}.steps .now .icon{color:var(--info)}.steps .again>.icon{color:var(--warn)}.steps .ahead
.icon{color:var(--edge);width:.9rem}.steps .now,.steps .failed,.steps .again{color:var(--ink);font-weight:600}.steps .now{
background:var(--info-soft);margin:0 calc(-1 * var(--s3));padding:0 var(--s3)}.steps li.now:not(:last-child):after{inset-inline-start:calc(.75rem
- 1px + var(--s3))}.steps .why{grid-column:2 / -1;display:grid;grid-template-columns:minmax(0,1fr);overflow-wrap:anywhere;
gap:var(--s3);padding:var(--s1) 0 var(--s3);font-weight:400;min-width:0}.notes{padding-inline-start:1.1rem;display:grid;
gap:var(--s1);overflow-wrap:anywhere}#operation .progress p{min-height:2.5rem}.callout{overflow-wrap:anywhere}@media(max-width:30rem){
.steps li{grid-template-columns:1.25rem minmax(0,1fr) auto;gap:0 var(--s2)}.steps li:not(:last-child):after{inset-inline-start:calc(.625rem
- 1px)}.steps li.now:not(:last-child):after{inset-inline-start:calc(.625rem - 1px + var(--s3))}}.events{display:grid;gap:var(--s2);
padding-inline-start:1.2rem;overflow-wrap:anywhere}details>summary{cursor:pointer;font-size:var(--small);font-weight:600}
details>pre,details>.scroll,details>ul{margin-top:var(--s2)}@media(prefers-reduced-motion:no-preference){.steps .now .icon{
animation:turn 1.6s linear infinite}}.with-preview{display:grid;gap:var(--s5);grid-template-columns:minmax(0,2fr) minmax(0,3fr);align-items:start}.with-preview>
.panel:first-child{position:sticky;top:var(--s5)}.with-preview[aria-busy=true] .effects,.with-preview[aria-busy=true] .column{
opacity:.55}.effects{list-style:none;padding:0;display:grid;gap:var(--s2)}.effects li{display:grid;grid-template-columns:1.15rem
minmax(0,1fr);gap:var(--s2)}.effects .icon{margin-top:.15rem}.effects .warning .icon{color:var(--warn)}.effects .done .icon{
color:var(--good)}.effects .dot .icon{color:var(--edge);width:.8rem;margin-inline:auto}.step-list{padding-inline-start:1.4rem;
display:grid;gap:var(--s1)}.step-list li::marker{color:var(--ink-soft);font-variant-numeric:tabular-nums}.object>ul{list-style:none;
padding:0;display:grid;gap:var(--s3);margin-top:var(--s3)}.object li{display:grid;gap:var(--s1);overflow-wrap:anywhere}.object
li>code{font-size:var(--tiny);color:var(--ink-soft)}.object+.object{border-top:1px solid var(--line);padding-top:var(--s3)}
.fromto{display:grid;gap:2px;font:var(--tiny)/1.5 var(--mono)}.fromto>*{display:block;padding:.15rem .5rem .15rem 1.6rem;
border-radius:var(--round-small);text-decoration:none;position:relative;min-width:0}.fromto>:before{position:absolute;inset-inline-start:.6rem;
font-weight:700}.fromto del{background:var(--bad-soft)}.fromto del:before{content:"−" / "";color:var(--bad)}.fromto ins{
background:var(--good-soft)}.fromto ins:before{content:"+" / "";color:var(--good)}.fromto pre{white-space:pre-wrap;overflow-wrap:anywhere;
max-height:16rem;overflow:auto}@media(max-width:64rem){.with-preview{grid-template-columns:minmax(0,1fr)}.with-preview>.panel:first-child{
position:static}}.column+#preview .price{font-size:var(--title);font-weight:650;letter-spacing:-.01em;font-variant-numeric:tabular-nums;
line-height:inherit}.objects{display:grid;gap:var(--s1);padding:0;list-style:none;font-size:var(--small);overflow-wrap:anywhere}
.column+#preview{position:sticky;top:var(--s5)}.column+#preview .facts{grid-template-columns:repeat(auto-fit,minmax(8rem,1fr))}
.column+#preview[aria-busy=true]{opacity:.65}@media(max-width:64rem){.column+#preview{position:static}}.history>li{grid-template-columns:minmax(9rem,1fr) minmax(0,2fr) auto}.history>li>.small{display:-webkit-box;-webkit-line-clamp:2;
-webkit-box-orient:vertical;overflow:hidden;overflow-wrap:anywhere}#about[data-live] .facts{grid-template-columns:1fr;gap:var(--s3)}
#about[data-live] .facts>div{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:var(--s3);align-items:baseline}#about[data-live]
.facts dd{font-size:var(--small)}.drift{padding-inline-start:1.1rem;display:grid;gap:var(--s2);overflow-wrap:anywhere}.drift
ul{padding-inline-start:1.1rem}@media(max-width:44rem){.history>li{grid-template-columns:minmax(0,1fr) auto}.history>li>
.small:empty{display:none}}.sizes{border:0;padding:0;display:grid;gap:var(--s2);min-width:0}.sizes legend{padding:0;margin-bottom:var(--s1);
font-weight:600;font-size:var(--small)}.sizes .problem{font-size:var(--small);font-weight:600;color:var(--bad)}.size{display:grid;
grid-template-columns:auto minmax(0,1fr) auto;gap:0 var(--s3);align-items:center;padding:var(--s2) var(--s3);border:1px solid
var(--line);border-radius:var(--round-small);font-weight:400;cursor:pointer}.size .resources{grid-column:2 / -1;color:var(--ink-soft)}
.size:has(:checked){border-color:var(--accent);background:var(--accent-soft)}.size:has(:disabled){cursor:default;color:var(--ink-soft);
border-style:dashed}.size:has(:focus-visible){outline:2px solid var(--accent);outline-offset:1px}.size input:focus-visible{
outline:none}.chart{display:grid;gap:var(--s2)}.chart svg{width:100%;height:6rem;display:block}.chart .all{fill:var(--accent)}
.chart .failed{fill:var(--bad)}.chart .base{stroke:var(--line)}.chart figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;
gap:0 var(--s4)}.chart figcaption :last-child{margin-left:auto}.chart .key{display:inline-block;width:.65rem;height:.65rem;
background:var(--bad);border-radius:2px}.timeline{list-style:none;padding:0;display:grid}.timeline li{position:relative;
display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr) auto;gap:var(--s1) var(--s4);align-items:center;padding:var(--s3)
0 var(--s3) 1.75rem}.timeline li:before{content:"";position:absolute;inset-inline-start:.25rem;top:1.075rem;width:.75rem;
height:.75rem;border-radius:50%;border:2px solid var(--good);background:var(--surface);z-index:1}.timeline .ready:before{
background:var(--good)}.timeline .pending:before{border-color:var(--info)}.timeline .failed:before{border-color:var(--bad)}
.timeline li:not(:last-child):after{content:"";position:absolute;inset-inline-start:calc(.625rem - 1px);top:1.8rem;bottom:-1.4rem;
width:2px;background:var(--line)}.timeline .test-result{grid-column:1 / -1;overflow-wrap:anywhere}.timeline .test-result
.icon{vertical-align:-.2em}.timeline .test-result .bad{color:var(--bad)}.timeline .when{display:grid;overflow-wrap:anywhere}
.timeline .when b{font-weight:600;font-size:var(--small)}#schedule .facts{grid-template-columns:1fr;gap:var(--s3)}#schedule
dd{font-size:var(--small)}#restoring .icon{vertical-align:-.2em}@media(max-width:44rem){.timeline li{grid-template-columns:minmax(0,1fr)
auto}.timeline li>.badge{grid-row:1;grid-column:2}}.reason{white-space:pre-line;overflow-wrap:anywhere;flex-basis:100%}.signed{
list-style:none;padding:0;display:grid;gap:var(--s3);font-size:var(--small)}.signed li{display:grid;grid-template-columns:1.15rem
minmax(0,1fr);gap:var(--s3);overflow-wrap:anywhere}.signed .icon{margin-top:.1rem}.signed.cross .icon{color:var(--bad)}.signed.done
.icon{color:var(--good)}#destroy,#abandon{border-color:var(--bad)}.usage-chart{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);column-gap:var(--s2)}.usage-chart .plot{display:grid;
align-content:space-between;justify-items:end;font-size:var(--tiny);line-height:1;color:var(--ink-soft)}.usage-chart>svg{
width:100%;height:9rem;overflow:visible}.usage-chart path{fill:none;vector-effect:non-scaling-stroke}.usage-chart .grid{
stroke:var(--line)}.usage-chart .line{stroke:var(--accent);stroke-width:2;stroke-linejoin:round}.usage-chart .bars{fill:var(--accent)}
.usage-chart .second{stroke:var(--ink);stroke-dasharray:5 4}.usage-chart figcaption,.usage-chart .legend{grid-column:2;display:flex;
flex-wrap:wrap;gap:var(--s1) var(--s4);color:var(--ink-soft)}.usage-chart figcaption{justify-content:space-between;margin-top:var(--s2)}
.usage-chart .legend{list-style:none;padding:0;margin:0}.usage-chart .legend li{display:flex;align-items:center;gap:var(--s2)}
.usage-chart .legend svg{width:1.5rem;height:.5rem}.periods{display:flex;gap:var(--s4)}.periods [aria-current]{color:var(--ink);
font-weight:600;text-decoration:none}#usage,#last-days{grid-template-columns:minmax(0,1fr)}#usage td,#last-days td{white-space:nowrap}
.trends{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:var(--s5) var(--s5)}.trends h3{margin:0;
font-size:var(--small)}.trends p{margin:0 0 var(--s3)}.trends .usage-chart>svg{height:5rem}.causes{list-style:none;margin:0;
padding:0;display:grid;gap:var(--s2)}.causes li{display:grid;grid-template-columns:minmax(7rem,1fr) minmax(4rem,3fr) 2.5rem;
gap:var(--s3);align-items:center}.causes b{text-align:end;font-variant-numeric:tabular-nums}.causes svg{width:100%;height:.6rem;
border-radius:var(--round-small);background:var(--line)}.causes rect{fill:var(--accent)}.trends .legend{gap:var(--s1) var(--s3);
font-size:var(--tiny)}.trends .legend li{gap:var(--s1)}#preview td:last-child{min-width:12rem}.event-list>li{grid-template-columns:auto minmax(0,1fr) auto;align-items:start}.event-list .what{display:grid;gap:.15rem;
min-width:0;overflow-wrap:anywhere}.event-list .foot{display:flex;flex-wrap:wrap;gap:0 var(--s4);align-items:baseline}.event-list
details[open]{flex-basis:100%}.event-list summary{font-size:var(--tiny);color:var(--ink-soft);padding:.1rem 0}.event-list
.more{display:grid;gap:var(--s3);padding:var(--s2) 0}.event-list .badge{vertical-align:.1em}.event-list .what a{color:inherit;
font-weight:600}.event-list .tiny a{font-weight:400}.event-list .sign{display:grid;place-items:center;width:1.75rem;height:1.75rem;
border-radius:50%;color:var(--ink-soft);background:var(--sunken)}.event-list .sign .icon{width:1rem;height:1rem}@media(max-width:44rem){
.event-list>li{grid-template-columns:auto minmax(0,1fr)}.list.event-list>li>.row-action{grid-row:2;grid-column:2}}.sign.good{
color:var(--good);background:var(--good-soft)}.sign.info{color:var(--info);background:var(--info-soft)}.sign.warn{color:var(--warn);
background:var(--warn-soft)}.sign.bad{color:var(--bad);background:var(--bad-soft)}.event-list>li:has(form){background:color-mix(in
srgb,var(--accent-soft) 40%,transparent)}.filters .field:has([type=datetime-local]){min-width:16rem}.filters .button{min-height:2.5rem}.people>li{grid-template-columns:minmax(10rem,3fr) minmax(6rem,1fr) minmax(6rem,2fr) 11.5rem}.people>li>.badge{justify-self:end}
@media(max-width:44rem){.people>li{grid-template-columns:minmax(0,1fr) auto}}.tokens>li{grid-template-columns:minmax(10rem,2fr)
minmax(0,3fr) 9.5rem auto}.scopes{border:0;padding:0;display:grid;gap:var(--s3);min-width:0}.scopes legend{font-weight:600;
font-size:var(--small);padding:0;margin-bottom:var(--s2)}.scopes input{padding:0}@media(max-width:44rem){.tokens>li{grid-template-columns:minmax(0,1fr)
auto}.tokens>li>.tiny{grid-column:1 / -1}}.sessions>li{grid-template-columns:minmax(0,2fr) minmax(0,2fr) 9rem}.sessions>
li>:last-child{justify-self:end}@media(max-width:44rem){.sessions>li{grid-template-columns:minmax(0,1fr) auto}.sessions>
li>.tiny{grid-column:1 / -1}}.user-text{white-space:pre-line;overflow-wrap:anywhere}.stack h2{font-size:var(--large)}.price{
font-size:var(--display);font-weight:650;letter-spacing:-.02em;line-height:1.2;font-variant-numeric:tabular-nums}.hub-choices{
display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:var(--s2) var(--s4);padding-left:1.6rem}.hub-choices
label{font-weight:400}.hub-search{display:flex;gap:var(--s2);padding-left:1.6rem;max-width:28rem}.hub-search input{padding:0
var(--s3)}.hub-search button{white-space:nowrap}form:has(#limit-all:checked) :is(.hub-choices,.hub-search),form:not(:has(#expiresAt
option[value=date]:checked)) .field:has(>#expiresOn){display:none}.webhooks>li{grid-template-columns:minmax(10rem,3fr) minmax(6rem,1fr)
auto}.deliveries>li{grid-template-columns:minmax(12rem,1fr) minmax(0,1fr) auto 5rem}.event-group{display:grid;gap:var(--s1)}
.event-choices{display:grid;grid-template-columns:repeat(auto-fill,minmax(8rem,1fr));gap:var(--s1) var(--s3)}.event-choices
label{font-weight:400}@media(max-width:44rem){.webhooks>li{grid-template-columns:minmax(0,1fr) auto}.deliveries>li{grid-template-columns:minmax(0,1fr)
auto}}.factors>li{grid-template-columns:minmax(0,2fr) minmax(0,2fr) auto}.enrolment{display:flex;flex-wrap:wrap;gap:2rem;
align-items:flex-start}.enrolment details{margin-top:1.5rem}.qr{width:14rem;border-radius:.5rem}.recovery-codes{columns:2;
margin:0;font-size:1.05rem;line-height:1.9}form.passkey[hidden]{display:none}
`;

export const standaloneStyle = `\
:root{color-scheme:light dark;--ground: #f5f6f3;--surface: #ffffff;--sunken: #eceee9;--line: #d8ddd5;--edge: #7d867b;--ink:
#191f1b;--ink-soft: #4d574f;--accent: #0a5f50;--on-accent: #ffffff;--accent-soft: #dcefe8;--good: #17652f;--good-soft: #def2e2;
--warn: #7d4b00;--warn-soft: #fbeccf;--bad: #a3211b;--bad-soft: #fbe4e1;--info: #1d4f91;--info-soft: #e1ebf8;--shadow: 0
1px 2px rgb(25 31 27 / .06), 0 8px 24px rgb(25 31 27 / .07);--sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI",
Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;--mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas,
"DejaVu Sans Mono", "Liberation Mono", monospace;--tiny: .75rem;--small: .875rem;--body: 1rem;--large: 1.1875rem;--title:
1.5rem;--display: clamp(1.75rem, 1.4rem + 1.6vw, 2.375rem);--s1: .25rem;--s2: .5rem;--s3: .75rem;--s4: 1rem;--s5: 1.5rem;
--s6: 2.5rem;--s7: 4rem;--round: .625rem;--round-small: .375rem;--measure: 66ch}@media(prefers-color-scheme:dark){:root{
--ground: #101412;--surface: #181d1a;--sunken: #0b0e0c;--line: #2c342f;--edge: #748178;--ink: #e8ede9;--ink-soft: #a8b3ab;
--accent: #70d4b9;--on-accent: #06231c;--accent-soft: #17342c;--good: #7fd796;--good-soft: #14311d;--warn: #efbd6a;--warn-soft:
#37280c;--bad: #ff9d94;--bad-soft: #401a17;--info: #9cc3ff;--info-soft: #15294a;--shadow: 0 1px 2px rgb(0 0 0 / .4), 0 8px
24px rgb(0 0 0 / .35)}}*,:before,:after{box-sizing:border-box}html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:var(--s5)}
body{margin:0;min-height:100vh;background:var(--ground);color:var(--ink);font:var(--body)/1.6 var(--sans);text-rendering:optimizeLegibility}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure,pre,fieldset{margin:0}h1,h2,h3,h4{line-height:1.2;font-weight:650;letter-spacing:-.012em;
text-wrap:balance}h1{font-size:var(--display);letter-spacing:-.022em}h2{font-size:var(--title)}h3{font-size:var(--large)}
h4{font-size:var(--body)}p{max-width:var(--measure);text-wrap:pretty}a{color:var(--accent);text-decoration-thickness:.06em;
text-underline-offset:.18em}a:hover{text-decoration-thickness:.12em}code,pre,kbd{font-family:var(--mono);font-size:.875em}
pre{overflow-x:auto}:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}::selection{background:var(--accent);
color:var(--on-accent)}.page{max-width:28rem;margin:0 auto;padding:clamp(var(--s5),12vh,8rem) var(--s4) var(--s6);display:grid;
gap:var(--s5)}.card{background:var(--surface);border:1px solid var(--line);border-radius:var(--round);box-shadow:var(--shadow);
padding:clamp(var(--s4),5vw,2rem);display:grid;gap:var(--s4)}.brand{display:inline-flex;align-items:center;gap:var(--s2);
color:var(--ink);font-weight:650;letter-spacing:-.01em;text-decoration:none}.brand svg{width:1.75rem;height:1.75rem;color:var(--accent);
flex:none}.lead{color:var(--ink-soft)}.small{font-size:var(--small)}form{display:grid;gap:var(--s4)}label{display:grid;gap:var(--s1);
font-weight:600;font-size:var(--small)}.hint{font-weight:400;font-size:var(--small);color:var(--ink-soft)}input,select,textarea{
width:100%;min-height:2.75rem;padding:.55rem .75rem;font:inherit;font-size:var(--body);font-weight:400;color:var(--ink);
background:var(--surface);border:1px solid var(--edge);border-radius:var(--round-small)}input[type=checkbox],input[type=radio]{
width:1.15rem;min-height:1.15rem;height:1.15rem;accent-color:var(--accent)}input::placeholder{color:var(--ink-soft);opacity:1}
input:focus-visible,select:focus-visible,textarea:focus-visible{outline-offset:0;border-color:var(--accent);border-radius:var(--round-small)}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:var(--s2);min-height:2.75rem;padding:.5rem
1.1rem;font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:var(--round-small);
cursor:pointer;text-decoration:none}button:hover,.button:hover{filter:brightness(1.08)}button.quiet,.button.quiet{color:var(--accent);
background:transparent;border-color:var(--line)}.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;
clip-path:inset(50%);white-space:nowrap}.skip{position:absolute;left:var(--s3);top:-4rem;z-index:9;padding:var(--s2) var(--s4);
background:var(--surface);border-radius:var(--round-small)}.skip:focus{top:var(--s3)}@media(prefers-reduced-motion:no-preference){
html{scroll-behavior:smooth}}@media print{body{background:#fff;color:#000}.card{box-shadow:none}}[aria-invalid=true]{border-color:var(--bad)}.callout{padding:var(--s3) var(--s4);border-radius:var(--round-small);background:var(--accent-soft);
color:var(--ink);border-inline-start:3px solid var(--accent)}.callout.with-action{display:flex;flex-wrap:wrap;align-items:center;
justify-content:space-between;gap:var(--s3) var(--s4)}.callout.good{background:var(--good-soft);border-color:var(--good)}
.callout.warn{background:var(--warn-soft);border-color:var(--warn)}.callout.bad{background:var(--bad-soft);border-color:var(--bad)}
form.stack{max-width:34rem}.field{display:grid;gap:var(--s1);min-width:0}.field label{display:block}.field .problem{font-size:var(--small);
font-weight:600;color:var(--bad)}.field.tick{grid-template-columns:auto minmax(0,1fr);gap:var(--s1) var(--s2);align-items:center}
.field.tick .hint{grid-column:2}details>.rest{display:grid;gap:var(--s4);margin-top:var(--s4)}.form-actions{display:flex;
flex-wrap:wrap;gap:var(--s3);align-items:center}.allow label{font-weight:400}.allow{margin-block-start:-.75rem}.page{max-width:29rem;padding-top:clamp(var(--s5),8vh,6rem)}.page>header{display:flex;justify-content:center}.card>header{
display:grid;gap:var(--s2)}.card h1{font-size:var(--title);overflow-wrap:anywhere}.label{font-weight:600;font-size:var(--small)}
.account{padding:.55rem .75rem;background:var(--sunken);border-radius:var(--round-small);overflow-wrap:anywhere}input.visually-hidden{
min-height:0;padding:0;border:0}.places{list-style:none;padding:0;display:grid;border:1px solid var(--line);border-radius:var(--round-small)}
.places li{padding:var(--s2) var(--s3);overflow-wrap:anywhere;font-weight:600}.places li+li{border-top:1px solid var(--line)}
.places a{display:block}.places li>.more{display:block}.places .more{font-weight:400;color:var(--ink-soft)}.tick{width:3rem;
height:3rem;padding:.7rem;border-radius:50%;background:var(--good-soft);color:var(--good)}.tick.bad{background:var(--warn-soft);
color:var(--warn)}.card footer{border-top:1px solid var(--line);padding-top:var(--s4);display:grid;gap:var(--s2)}.card footer
p{font-size:var(--small);color:var(--ink-soft)}.address{display:block;margin-top:var(--s2);padding:var(--s2) var(--s3);background:var(--sunken);
border-radius:var(--round-small);overflow-wrap:anywhere}button,.button{width:100%}form.stack{max-width:none}.ways{display:grid;
gap:var(--s2)}form.passkey[hidden]{display:none}
`;
