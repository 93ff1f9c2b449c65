/** Written by `npm run generate`; commit it, do not edit it. */
export const referencePageScript = `\
(()=>{function i(e,t=document){return[...t.querySelectorAll(e)]}function u(e,t={},...n){let r=Object.assign(document.createElement(
e),t);return r.append(...n),r}function f({target:e}){return e instanceof HTMLInputElement?!/^(checkbox|radio)$/.test(e.type):
e instanceof HTMLTextAreaElement||e instanceof HTMLSelectElement}async function m(e,t){let n=!0;try{await navigator.clipboard.
writeText(t.textContent)}catch{n=!1,getSelection()?.selectAllChildren(t)}return e.textContent=n?"Copied":"Selected",setTimeout(
()=>e.textContent="Copy",2e3),n}var y=document.querySelector("form[role=search]"),c=document.querySelector("#find"),p=document.querySelector(".found"),M=document.
querySelector(".intro"),d=i("article").map(e=>({element:e,text:x(e)})),a=new Map(i("nav li a").map(e=>[e.hash.slice(1),e]));
y.hidden=!1;function x(e){let t=e.dataset.shapes.split(" ").filter(Boolean),n=t.map(r=>i(\`#schema-\${r} .fields\`).map(o=>o.
textContent).join(" "));return[e.querySelector(".entry-text").textContent,...t,...n].join(" ").toLowerCase()}function H(e){
return e.length>5?e.replace(/(?:ing|ed|es|s|e)$/,""):e}function E(){let e=c.value.toLowerCase().split(/\\s+/).filter(Boolean).
map(H),t=e.length>0,n=0;for(let{element:o,text:l}of d){let s=e.every(L=>l.includes(L));o.hidden=!s,a.get(o.id).parentElement.
hidden=!s,s&&n++}for(let o of i(".area"))o.hidden=t&&!o.querySelector("article:not([hidden])");for(let o of i("nav secti\\
on"))o.hidden=t&&!o.querySelector("li:not([hidden])");M.hidden=t,p.hidden=!t;let r=n===0?"No endpoint matches all of the\\
se words":\`\${n} endpoint\${n===1?"":"s"}\`;p.textContent=t?r:""}c.addEventListener("input",()=>{E(),scrollTo({top:0,behavior:"\\
instant"})});y.addEventListener("submit",e=>{e.preventDefault(),d.find(({element:t})=>!t.hidden)?.element.querySelector(
"h3 a")?.focus()});document.addEventListener("keydown",e=>{e.key==="/"&&!f(e)&&!e.ctrlKey&&!e.metaKey&&!e.altKey&&(e.preventDefault(),
c.focus(),c.select()),e.key==="Escape"&&e.target===c&&(T(),c.blur())});function T(){c.value="",E()}function g(){let e=document.
getElementById(decodeURIComponent(location.hash.slice(1)));e&&(e.closest("[hidden]")&&T(),e instanceof HTMLDetailsElement&&
(e.open=!0),e.scrollIntoView())}addEventListener("hashchange",g);location.hash&&g();var h=document.querySelector(".try p\\
re code");h.textContent=h.textContent.replace("http://localhost:3000",location.origin);for(let e of i("details[data-of]"))
e.addEventListener("toggle",()=>{let t=document.querySelector(\`#schema-\${e.dataset.of} pre\`),n=e.querySelector("p");if(!t||
!n)return;let r=t.cloneNode(!0),o=r.firstChild;"list"in e.dataset&&(o.prepend("[ "),o.append(" ]")),n.replaceWith(r)});for(let e of i(
"div.code")){let t=u("button",{type:"button"},"Copy"),n=e.querySelector("code");t.addEventListener("click",()=>m(t,n)),e.
append(t)}var v=new IntersectionObserver(e=>{for(let{isIntersecting:t,target:n}of e){if(!t)continue;for(let s of a.values())
s.removeAttribute("aria-current");let r=a.get(n.id),o=r.closest("nav");r.setAttribute("aria-current","location");let l=r.
getBoundingClientRect().top-o.getBoundingClientRect().top;(l<0||l>o.clientHeight-60)&&(o.scrollTop+=l-o.clientHeight/3)}},
{rootMargin:"-15% 0px -75% 0px"});for(let{element:e}of d)v.observe(e);})();
`;

export const referencePageStyle = `\
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
html{scroll-behavior:smooth}}@media print{body{background:#fff;color:#000}.card{box-shadow:none}}:root{--bar: 3.5rem;scroll-padding-top:calc(var(--bar) + 1.25rem)}body>header{position:sticky;top:0;z-index:5;height:var(--bar);
display:flex;align-items:center;gap:var(--s4);padding:0 clamp(var(--s4),3vw,2rem);background:var(--surface);border-bottom:1px
solid var(--line)}main{padding:var(--s6) clamp(var(--s4),3.5vw,3rem) var(--s7);outline:none}h3 em{font-style:normal;color:var(--ink-soft)}
h3 a{color:var(--ink);text-decoration:none;overflow-wrap:anywhere}h3 a:hover{text-decoration:underline}h3 a:after{content:"\\
 #";color:var(--accent);opacity:0}h3 a:hover:after,h3 a:focus-visible:after{opacity:1}p code,dd code,li code{background:var(--sunken);
padding:.08em .32em;border-radius:.25rem;overflow-wrap:anywhere}.brand small{color:var(--ink-soft);font-weight:500;font-size:1em}
.intro>.lead{font-size:var(--large);margin-top:var(--s3);max-width:60ch}.method{display:inline-block;border-radius:var(--round-small);
font:700 .75rem/1.5 var(--mono);color:var(--info);background:var(--info-soft)}.POST{color:var(--good);background:var(--good-soft)}
.PATCH{color:var(--warn);background:var(--warn-soft)}.DELETE{color:var(--bad);background:var(--bad-soft)}@media(max-width:34rem){
main{padding-top:var(--s5)}.brand small{display:none}}@media print{body>header{display:none}}:root{--code: #17201b;--code-ink: #dde6df;--code-name: #8fdcc6;--code-word: #f0c483;scroll-behavior:auto}@media(prefers-color-scheme:dark){
:root{--code: #0b0f0d}}[hidden]{display:none!important}header form{position:relative;flex:1;max-width:30rem;margin-inline:auto;
display:block}header input{min-height:2.25rem;padding:.3rem 2.25rem .3rem .8rem;border-radius:99rem;background:var(--ground);
font-size:var(--small)}header kbd{position:absolute;right:.7rem;top:50%;translate:0 -50%;padding:0 .4rem;font-size:var(--tiny);
color:var(--ink-soft);border:1px solid var(--line);border-radius:.25rem;background:var(--surface)}header input:focus-visible{
border-radius:99rem}header input:focus+kbd{display:none}.raw{display:flex;gap:var(--s4);align-items:baseline;font-size:var(--small);
white-space:nowrap;margin-left:auto;max-width:none}.raw a+a{font-family:var(--mono)}form:not([hidden])+.raw{margin-left:0}
.sides{display:grid;grid-template-columns:clamp(14rem,19vw,18.5rem) minmax(0,1fr);max-width:110rem;margin:0 auto}main{min-width:0}
.topics{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));gap:var(--s5) var(--s6);margin-top:var(--s6)}
.topics h2,.try h2,.refusals h2{font-size:var(--body);margin-bottom:var(--s2)}.topics p,.try p{font-size:var(--small);color:var(--ink-soft)}
.topics p+p{margin-top:var(--s2)}.try,.refusals{margin-top:var(--s6);max-width:46rem}.refusals ul{columns:2 18rem;column-gap:var(--s6)}
.refusals li{break-inside:avoid;margin:0;padding-block:.125rem}.try .code{margin-top:var(--s3)}.scopes{display:grid;gap:var(--s2);
font-size:var(--small);color:var(--ink-soft)}.scopes>div{display:grid;grid-template-columns:7rem 1fr;gap:var(--s2);align-items:baseline}
.found{margin-bottom:var(--s4);font-weight:600}.area{margin-top:var(--s7)}.found:not([hidden])~.area{margin-top:0}.area>
h2{font-size:1.75rem}.area>.lead{margin-top:var(--s1)}@media(max-width:60rem){.sides{display:block}header kbd{display:none}
header input{padding-right:.8rem;font-size:1rem}}@media(max-width:34rem){body>header{gap:var(--s3)}form:not([hidden])+.raw
a+a{display:none}.brand span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.scopes>div{grid-template-columns:6.5rem
1fr}}@media print{.sides{display:block}}nav{position:sticky;top:var(--bar);height:calc(100vh - var(--bar));overflow-y:auto;padding:var(--s5) var(--s3) var(--s7)
clamp(var(--s3),2vw,1.5rem);border-right:1px solid var(--line);scrollbar-width:thin;overscroll-behavior:contain}nav section+
section{margin-top:var(--s4)}nav h2{font-size:var(--small);letter-spacing:0}nav h2 a{color:var(--ink);text-decoration:none;
display:block;padding:.2rem .5rem}nav ul{list-style:none;padding:0;margin-top:.15rem}nav li a{display:grid;grid-template-columns:3.4rem
1fr;gap:.35rem;align-items:baseline;padding:.22rem .5rem;border-radius:var(--round-small);color:var(--ink-soft);text-decoration:none;
font-size:.8125rem;line-height:1.4}nav li a:hover,nav li a[aria-current]{background:var(--sunken);color:var(--ink)}nav li
a[aria-current]{box-shadow:inset 2px 0 var(--accent)}nav li code{overflow-wrap:anywhere;font-size:.75rem;background:none;
padding:0}nav em{font-style:normal;color:var(--ink-soft)}nav .method{background:none;padding:0;min-width:0;text-align:left;
font-size:.6875rem}@media(max-width:60rem){nav{position:static;height:auto;display:flex;flex-wrap:wrap;gap:var(--s2);padding:var(--s3)
var(--s4);border-right:0;border-bottom:1px solid var(--line)}nav section+section{margin:0}nav ul{display:none}nav h2 a{border:1px
solid var(--line);border-radius:99rem;padding:.3rem .75rem;background:var(--surface);font-weight:550}}@media print{nav{display:none}}article{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,clamp(21rem,33vw,36rem));gap:var(--s5) clamp(var(--s5),3vw,var(--s6));
padding:var(--s6) 0;border-bottom:1px solid var(--line);scroll-margin-top:0}article:target>.entry-text>h3{box-shadow:-.75rem
0 0 var(--ground),calc(-.75rem - 3px) 0 0 var(--accent)}article h3{display:flex;gap:var(--s3);align-items:baseline;letter-spacing:0}
article h3 a{font-size:1.0625rem}.method{min-width:4.1rem;padding:.15rem .5rem;text-align:center}.summary{margin-top:var(--s3);
font-size:1.0625rem}.meta{margin-top:var(--s2);font-size:var(--small);color:var(--ink-soft)}.scope{display:inline-block;
padding:0 .5rem;border:1px solid var(--edge);border-radius:99rem;font:600 .75rem/1.6 var(--mono);color:var(--ink)}.scope.old{
border-color:var(--warn);color:var(--warn)}h4{font-size:.8125rem;margin-top:var(--s5)}summary h4,summary h3{display:inline;
margin:0}summary{cursor:pointer;border-radius:var(--round-small);font-size:var(--small)}.entry-text>details{margin-top:var(--s5)}
.fields{margin-top:var(--s2);font-size:var(--small)}.fields>dt{padding-top:.5rem;border-top:1px solid var(--line)}.fields>
dd{padding-bottom:.5rem}.fields dt>code{font-weight:650;color:var(--ink);margin-right:.25rem}.fields dt span{color:var(--ink-soft);
font-size:.8125rem}.fields dt span+span:before{content:"· "}.fields strong{font-weight:600;color:var(--warn)}.fields dt
span code{background:none;padding:0}.fields dd{color:var(--ink-soft);max-width:var(--measure);overflow-wrap:break-word}.fields
.fields{margin:.4rem 0 0;padding-left:var(--s4);border-left:2px solid var(--line)}.fields .fields>dt:first-child{border-top:0}
.answers{list-style:none;overflow-wrap:anywhere;padding:0;margin-top:var(--s2);font-size:var(--small)}.answers b{font-family:var(--mono);
font-size:.8125rem}.answers li{padding-left:2.5rem;text-indent:-2.5rem;margin-top:.25rem}.answers li *{text-indent:0}.answers
li b{display:inline-block;min-width:2.25rem;color:var(--bad);text-indent:0;margin:0}.answers li .good{color:var(--good)}
.statuses{color:var(--ink-soft);font-size:var(--small);margin-top:var(--s2)}.shown{display:grid;gap:var(--s3);align-content:start;
position:sticky;top:calc(var(--bar) + var(--s4));align-self:start;max-height:calc(100vh - var(--bar) - 2rem);overflow-y:auto;
scrollbar-width:thin}.shapes>details{border-bottom:1px solid var(--line);padding:var(--s3) 0;max-width:56rem}.shapes h3{
font-size:var(--body);font-family:var(--mono);font-weight:600;letter-spacing:0}.shapes .code{margin-top:var(--s4)}.shapes
.lead{margin-bottom:var(--s4)}@media(min-width:60rem){.shapes details>.fields{display:grid;grid-template-columns:minmax(12rem,2fr)
3fr;column-gap:0}.shapes details>.fields>*{padding:.5rem 0;border-top:1px solid var(--line);max-width:none}.shapes details>
.fields>dt{padding-right:var(--s4)}.shapes>details{max-width:64rem}}@media(max-width:68rem){article{grid-template-columns:minmax(0,1fr)}
.shown{position:static;max-height:none}}@media(max-width:34rem){article h3{flex-wrap:wrap;gap:.4rem}article h3 a{flex-basis:100%;
font-size:1rem}}@media print{article{break-inside:avoid;display:block}}.code{position:relative;background:var(--code);color:var(--code-ink);border-radius:var(--round);border:1px solid transparent;
overflow:hidden}@media(prefers-color-scheme:dark){.code{border-color:var(--line)}}.code pre{padding:var(--s4);max-height:26rem;
overflow:auto;line-height:1.55;scrollbar-width:thin;border-radius:var(--round)}.code pre:focus-visible{outline-offset:-3px;
outline-color:var(--code-name)}.code code{font-size:.78125rem;background:none;padding:0}.code b{font-weight:500;color:var(--code-name)}
.code i{font-style:normal;color:var(--code-word)}.code summary{padding:.45rem var(--s4);font:600 .78125rem var(--mono);color:var(--code-ink)}
.code summary+pre{padding-top:.25rem}.code a{color:var(--code-name)}.code>p{padding:0 var(--s4) var(--s3);font-size:var(--small)}
.code button{position:absolute;top:.5rem;right:.5rem;min-height:1.75rem;padding:0 .65rem;font-size:.75rem;background:#2b3831;
color:#e9f1eb;border-color:#45554c}@media print{.code button{display:none}.code{color:#000;background:none;border:1px solid
#999}.code b,.code i{color:#000}}
`;

export const changelogStyle = `\
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
html{scroll-behavior:smooth}}@media print{body{background:#fff;color:#000}.card{box-shadow:none}}:root{--bar: 3.5rem;scroll-padding-top:calc(var(--bar) + 1.25rem)}body>header{position:sticky;top:0;z-index:5;height:var(--bar);
display:flex;align-items:center;gap:var(--s4);padding:0 clamp(var(--s4),3vw,2rem);background:var(--surface);border-bottom:1px
solid var(--line)}main{padding:var(--s6) clamp(var(--s4),3.5vw,3rem) var(--s7);outline:none}h3 em{font-style:normal;color:var(--ink-soft)}
h3 a{color:var(--ink);text-decoration:none;overflow-wrap:anywhere}h3 a:hover{text-decoration:underline}h3 a:after{content:"\\
 #";color:var(--accent);opacity:0}h3 a:hover:after,h3 a:focus-visible:after{opacity:1}p code,dd code,li code{background:var(--sunken);
padding:.08em .32em;border-radius:.25rem;overflow-wrap:anywhere}.brand small{color:var(--ink-soft);font-weight:500;font-size:1em}
.intro>.lead{font-size:var(--large);margin-top:var(--s3);max-width:60ch}.method{display:inline-block;border-radius:var(--round-small);
font:700 .75rem/1.5 var(--mono);color:var(--info);background:var(--info-soft)}.POST{color:var(--good);background:var(--good-soft)}
.PATCH{color:var(--warn);background:var(--warn-soft)}.DELETE{color:var(--bad);background:var(--bad-soft)}@media(max-width:34rem){
main{padding-top:var(--s5)}.brand small{display:none}}@media print{body>header{display:none}}body>header{justify-content:space-between}body>header>a:last-child{font-size:var(--small);white-space:nowrap}.brand{white-space:nowrap}
main{max-width:60rem;margin:0 auto}.ways{list-style:none;padding:0;margin-top:var(--s4);display:flex;flex-wrap:wrap;gap:var(--s2)}
.ways a{display:inline-flex;align-items:center;gap:.45rem;padding:.35rem .85rem;border:1px solid var(--line);border-radius:99rem;
background:var(--surface);font-size:var(--small);font-weight:600;text-decoration:none}.ways a:hover{border-color:var(--accent)}
.ways svg{width:.9rem;height:.9rem;flex:none}.part{margin-top:var(--s7);display:grid;gap:var(--s4)}.part>h2{font-size:1.75rem}
.part>.lead{margin-top:calc(-1 * var(--s2))}.calm{padding:var(--s4) var(--s5);max-width:none;background:var(--good-soft);
border-radius:var(--round)}.notice-card{display:grid;grid-template-columns:auto minmax(0,1fr);gap:var(--s5);padding:clamp(var(--s4),3vw,var(--s5));
background:var(--surface);border:1px solid var(--line);border-radius:var(--round);box-shadow:var(--shadow)}.notice-card:target{
border-color:var(--accent);box-shadow:0 0 0 1px var(--accent),var(--shadow)}.date{align-self:start;min-width:5.25rem;padding:var(--s3)
var(--s2);text-align:center;border-radius:var(--round-small);background:var(--warn-soft);color:var(--warn);font-size:var(--tiny);
font-weight:600;line-height:1.3}.date b{display:block;font-size:1.875rem;font-weight:700;line-height:1.1;letter-spacing:-.02em;
font-variant-numeric:tabular-nums}.entry-text{display:grid;gap:var(--s2)}.kind{font-size:var(--tiny);font-weight:650;letter-spacing:.06em;
text-transform:uppercase;color:var(--ink-soft)}.entry-text h3{font-size:1.0625rem;letter-spacing:0;line-height:1.45}.entry-text
h3 code{font-size:1rem}.when strong{color:var(--warn)}.when time{white-space:nowrap}.past{box-shadow:none;background:none}
.past .date{background:var(--sunken);color:var(--ink-soft)}.method{margin-right:.25rem;padding:.1rem .5rem;vertical-align:.1em}
.release{display:grid;grid-template-columns:11rem minmax(0,1fr);gap:var(--s2) var(--s5);padding-top:var(--s5);border-top:1px
solid var(--line)}.release header{position:sticky;top:calc(var(--bar) + var(--s4));align-self:start;display:grid;gap:var(--s1)}
.release h3{font-variant-numeric:tabular-nums}.release:target h3 a{color:var(--accent)}.groups{display:grid;gap:var(--s3)}
.release h4:not(:first-child){margin-top:var(--s4)}.release ul{padding-left:1.1rem;display:grid;gap:var(--s3);max-width:var(--measure)}
.release li{overflow-wrap:break-word;text-wrap:pretty}.release li::marker{color:var(--accent)}@media(max-width:46rem){.release{
grid-template-columns:minmax(0,1fr);gap:var(--s4)}.release header{position:static}}@media(max-width:34rem){.part{margin-top:var(--s6)}
.notice-card{grid-template-columns:minmax(0,1fr);gap:var(--s3)}.date{display:none}}@media print{.ways{display:none}.notice-card{
box-shadow:none;break-inside:avoid}.release header{position:static}}
`;

export const frontPageStyle = `\
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
html{scroll-behavior:smooth}}@media print{body{background:#fff;color:#000}.card{box-shadow:none}}main{max-width:44rem;min-height:100vh;margin:0 auto;padding:clamp(var(--s6),11vh,7rem) clamp(var(--s4),4vw,2rem) var(--s5);
display:flex;flex-direction:column;gap:var(--s6)}main>header{display:grid;gap:var(--s3);justify-items:start}.mark svg{display:block;
width:3.5rem;height:3.5rem;color:var(--accent)}header .lead{font-size:var(--large);max-width:56ch}.status{display:inline-flex;
align-items:center;gap:.55rem;padding:.3rem .85rem .3rem .7rem;border-radius:99rem;font-size:var(--small);font-weight:600}
.status i{width:.55rem;height:.55rem;border-radius:50%;background:currentColor}.status.good{color:var(--good);background:var(--good-soft)}
.status.warn,.status.warn a{color:var(--warn);background:var(--warn-soft)}nav ul{list-style:none;padding:0;background:var(--surface);
border:1px solid var(--line);border-radius:var(--round);box-shadow:var(--shadow);overflow:hidden}nav li+li{border-top:1px
solid var(--line)}nav a{display:grid;grid-template-columns:11rem minmax(0,1fr) auto;gap:var(--s1) var(--s4);align-items:baseline;
padding:var(--s4) var(--s5);color:var(--ink);text-decoration:none}nav a:after{content:"→";color:var(--accent);font-weight:700}
nav a:hover,nav a:focus-visible{background:var(--accent-soft)}nav b{font-weight:650}nav span{color:var(--ink-soft);font-size:var(--small)}
section{display:grid;gap:var(--s3)}section .small{color:var(--ink-soft)}section pre{padding:var(--s4) var(--s5);background:var(--sunken);
border:1px solid var(--line);border-radius:var(--round-small);line-height:1.55}p code{background:var(--sunken);padding:.08em
.32em;border-radius:.25rem}footer{margin-top:auto;font-size:var(--small);color:var(--ink-soft)}@media(max-width:34rem){nav
a{grid-template-columns:minmax(0,1fr) auto;padding:var(--s4)}nav a:after{grid-row:1;grid-column:2}nav span{grid-column:1}}
`;
