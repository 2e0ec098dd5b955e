// Asks for the token of a reader. The browser keeps it until its tab is closed.
import { useState } from 'preact/hooks';
import { saveToken } from '../api.js';
import { html } from '../html.js';
import { ViewTitle } from './view-title.js';

/** @param {{ problem: string }} props what the server answered */
export function SignIn({ problem }) {
  const [token, setToken] = useState('');
  const typed = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setToken(currentTarget.value);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    saveToken(token.trim());
    location.reload();
  };
  return html`<form class="card" onSubmit=${submit}>
    <${ViewTitle}>Sign in</${ViewTitle}>
    <p role="alert">${problem}</p>
    <label>Token <input type="password" autocomplete="current-password" required value=${token} onInput=${typed} /></label>
    <button type="submit">Sign in</button>
    <p class="waiting">An operator makes a token with <code>rankledger reader add NAME</code>.</p>
  </form>`;
}
