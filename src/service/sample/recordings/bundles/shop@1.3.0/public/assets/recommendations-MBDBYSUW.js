import{a as r,c as m}from"./chunk-AMW3KTSD.js";async function i(){let t=await r("/api/recommendations");m("#recommendations").replaceChildren(...t.map(o=>n(o)))}function n({cover:t,name:o}){let e=new Image;return e.src=t.url,e.alt=t.alt,e.title=o,e}export{i as showRecommendations};
//# sourceMappingURL=recommendations-MBDBYSUW.js.map
