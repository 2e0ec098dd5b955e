// Light, dark or as the system has it.
import { Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { setTheme, type Theme, theme } from '../theme.ts';

const nextTheme: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon };

export function ThemeButton(): ReactNode {
  const [now, setNow] = useState(theme);
  const next = nextTheme[now];
  const Icon = icons[now];
  const use = () => {
    setTheme(next);
    setNow(next);
  };
  return (
    <button
      type="button"
      className="screen-only button icon-button"
      onClick={use}
      aria-label={`Colours: ${now}. Change to ${next}`}
    >
      <Icon size={15} aria-hidden="true" />
    </button>
  );
}
