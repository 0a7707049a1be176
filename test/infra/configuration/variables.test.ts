import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PARAMETERS } from '../../../infra/cdk/parameters/parameter-list.ts';
import { readEnvFile } from '../../../infra/configuration/index.ts';
import { CREDENTIALS, VARIABLES } from '../../../infra/configuration/variables.ts';
import { buildTemplate } from '../../../infra/local/template/build.ts';
import { TemplateView } from '../template.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');
const names = Object.keys(VARIABLES);
test('the variables are the parameters of the deployment and the credentials', async () => {
  const { parameters } = new TemplateView((await buildTemplate()).template);
  const parameterNames = Object.keys(parameters)
    .filter((name) => name !== 'BootstrapVersion')
    .map((name) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase());
  expect(names.toSorted()).toEqual([...parameterNames, ...CREDENTIALS].toSorted());
});

test('.env.example has each variable once, is empty, and passes its own checks', async () => {
  const { variables, checks } = readEnvFile(await readFile(join(PROJECT, '.env.example'), 'utf8'));
  expect(checks).toEqual([]);
  expect(Object.keys(variables).toSorted()).toEqual(names.toSorted());
  expect(Object.values(variables).join('')).toBe('');
});

test('.env.example has the length of a system prompt that a deployment takes', async () => {
  const example = await readFile(join(PROJECT, '.env.example'), 'utf8');
  const maxLength = PARAMETERS.SystemPrompt.maxLength;
  expect(example).toContain(
    `at most ${maxLength.toLocaleString('en-US')} Latin letters in a deployment, or ${maxLength / 2} of other scripts.`,
  );
});

test('docs/configuration.md names each variable', async () => {
  const page = await readFile(join(PROJECT, 'docs', 'configuration.md'), 'utf8');
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
