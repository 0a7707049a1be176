import { type InEvery, localeOf } from '../locale.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };
import ja from './ja.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };
import pt from './pt.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/** What forms say. Plain sentences: fronts open forms, and have no room for a formatter. */
export type FormTexts = typeof en;

const TEXTS: InEvery<FormTexts> = { en, de, fr, es, pt, ja, ko, zh };

/** Those of the language of a tag, English for others. */
export const formTexts = (tag: string | undefined): FormTexts => TEXTS[localeOf(tag)];
