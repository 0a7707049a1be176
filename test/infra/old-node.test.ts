import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainOldNode, nodeOf } from '../../infra/old-node.js';
import { scratch } from './local/sample-template.ts';

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

const explain = () => explainOldNode('20.20.2', folder.directory, 'npm start');

test('an old Node before the installation is told to install', () => {
  expect(explain()).toBe('Parley needs Node 24; this is 20.20.2. Run "npm ci", which installs it.');
});

test('an old Node, where npm ran no install scripts, is told how to run the one that is needed', () => {
  mkdirSync(join(folder.directory, 'node_modules', 'node'), { recursive: true });
  expect(explain()).toContain('"npm rebuild node --ignore-scripts=false"');
});

test('an old Node, beside the installed one, is told which command uses that', () => {
  mkdirSync(join(folder.directory, 'node_modules', 'node', 'bin'), { recursive: true });
  writeFileSync(nodeOf(folder.directory), '');
  expect(explain()).toContain('"npm start" uses the one of the project.');
});
