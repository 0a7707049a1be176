import commands from './commands/en.json' with { type: 'json' };
import type { Locale } from './locale.ts';

const EN = { commands };

/** Every text, by area. The English ones say which there are. */
export type Texts = typeof EN;

/** By language. */
export const TEXTS: Readonly<Record<Locale, Texts>> = {
  en: EN,
  de: EN,
  fr: EN,
  es: EN,
  pt: EN,
  ja: EN,
  ko: EN,
  zh: EN,
};
