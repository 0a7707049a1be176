import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Loaded before anything else (`node --import`): gives out one file with a change in it. Nothing on the disk changes.
const url = process.env['PARLEY_MUTANT_URL'];
const text = process.env['PARLEY_MUTANT_TEXT'];

if (url !== undefined && text !== undefined) {
  registerHooks({
    load: (specifier, context, next) =>
      specifier === url
        ? { format: 'module-typescript', source: readFileSync(text, 'utf8'), shortCircuit: true }
        : next(specifier, context),
  });
}
