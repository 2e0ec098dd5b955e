// Loads zod without its messages in 64 languages, which it has no entry for: 18 ms of each command that reads a config.
import { type RegisterHooksOptions, registerHooks } from 'node:module';

/** zod imports its English messages separately. The hook ends here: it would slow down each later import. */
export async function loadEnglishZod(): Promise<void> {
  const hooks = registerHooks({ resolve: withoutTranslations });
  await import('zod');
  hooks.deregister();
}

const withoutTranslations: RegisterHooksOptions['resolve'] = (specifier, context, next) => {
  const isTranslations = specifier === '../locales/index.js' && context.parentURL?.includes('/node_modules/zod/');
  return next(isTranslations === true ? '../locales/en.js' : specifier, context);
};
