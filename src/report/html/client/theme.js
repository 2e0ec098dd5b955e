// Light or dark theme: the system's, until the button changes it. Stored if the browser allows it.

const storageKey = 'rankledger-theme';

/** @param {() => void} onChange called when the colours on screen may have changed */
export function startTheme(onChange) {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = document.querySelector('#theme');
  if (!(button instanceof HTMLButtonElement)) return;
  const isDark = () => (root.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const show = () => {
    button.textContent = isDark() ? 'Light colours' : 'Dark colours';
    onChange();
  };
  const kept = recalled();
  if (kept === 'light' || kept === 'dark') root.dataset['theme'] = kept;
  button.hidden = false;
  button.addEventListener('click', () => {
    const chosen = isDark() ? 'light' : 'dark';
    root.dataset['theme'] = chosen;
    keep(chosen);
    show();
  });
  system.addEventListener('change', show);
  show();
}

function recalled() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null; // a file from a mail has no storage
  }
}

/** @param {string} theme */
function keep(theme) {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // the choice lasts as long as the page is open
  }
}
