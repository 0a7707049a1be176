import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const textsSchema = v.record(v.string(), v.string());

/**
 * Finds texts that a language lacks or that only it has, as `settings/ko.json: button.me`. Deployment fails with missing
 * texts. `folder` has a folder per area, with a file per language.
 */
export function findMissingTexts(folder: string): string[] {
  const areas = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
  return areas.flatMap(({ name }) => {
    const files = readdirSync(join(folder, name)).filter((file) => file.endsWith('.json'));
    const readKeys = (file: string): Set<string> =>
      new Set(Object.keys(v.parse(textsSchema, JSON.parse(readFileSync(join(folder, name, file), 'utf8')))));
    // Texts of the fronts are in TypeScript files, checked by the type checker.
    if (files.length === 0) return [];
    const english = readKeys('en.json');
    return files.flatMap((file) => {
      const own = readKeys(file);
      const lacking = [...english].filter((key) => !own.has(key));
      const alone = [...own].filter((key) => !english.has(key));
      return [...lacking, ...alone].map((key) => `${name}/${file}: ${key}`);
    });
  });
}
