import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

const texts = z.record(z.string(), z.string());

/**
 * Every text that a language lacks, or that English has not, as `settings/ko.json: button.me`: nothing is deployed that
 * cannot say something to somebody. `folder` holds a folder for each area, with a file for each language.
 */
export function missingTexts(folder: string): string[] {
  const areas = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
  return areas.flatMap(({ name }) => {
    const files = readdirSync(join(folder, name)).filter((file) => file.endsWith('.json'));
    const keysIn = (file: string): Set<string> =>
      new Set(Object.keys(texts.parse(JSON.parse(readFileSync(join(folder, name, file), 'utf8')))));
    // What the fronts hold is in one file for all languages, which the type checker looks at.
    if (files.length === 0) return [];
    const english = keysIn('en.json');
    return files.flatMap((file) => {
      const own = keysIn(file);
      const lacking = [...english].filter((key) => !own.has(key));
      const alone = [...own].filter((key) => !english.has(key));
      return [...lacking, ...alone].map((key) => `${name}/${file}: ${key}`);
    });
  });
}
