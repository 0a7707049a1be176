import { SMALL } from './doors.ts';

/** What a room may import. A room is a folder; the files below it belong to the room with the longest name. */
export type Room = {
  /** Other rooms, or single files of them. */
  readonly rooms: readonly string[];
  /** Of these rooms, only types and errors. */
  readonly typesOf?: readonly string[];
  /** Packages; a name that ends in `/*` stands for a scope or for all that a package exports. */
  readonly packages: readonly string[];
  /** Whether it may use Node's own modules. A room of pure decisions may not. */
  readonly node?: boolean;
  /** What others may import of it, beside its `index.ts`; `*` stands for every file. */
  readonly open?: readonly string[];
  /** Whether it may look behind the doors of other rooms. */
  readonly pries?: boolean;
};

const NAMES = 'shared/runtime/names.ts';
const SLACK_CALL = 'shared/platforms/slack/call.ts';

/** Who may import whom, types included. What is not listed is forbidden, and so is a folder without a row. */
export const ROOMS: Readonly<Record<string, Room>> = {
  'shared/conversation': { rooms: [], packages: ['valibot'] },
  'shared/settings': {
    rooms: [],
    packages: ['valibot'],
    open: ['among.ts', 'language.ts', 'level.ts', 'permission.ts'],
  },
  'shared/budgets': { rooms: [], packages: ['valibot'] },
  'shared/limits': { rooms: [], packages: ['valibot'] },
  'shared/platforms': {
    rooms: ['shared/conversation', 'shared/texts'],
    packages: [],
    open: [
      'directory.ts',
      'fetching.ts',
      'patience.ts',
      'platform.ts',
      'remember.ts',
      'routed.ts',
      'without-erased.ts',
    ],
  },
  'shared/platforms/text': { rooms: ['shared/platforms'], packages: [] },
  'shared/platforms/slack': {
    rooms: ['shared/conversation', 'shared/platforms', 'shared/platforms/text', 'shared/texts'],
    packages: ['@slack/*', 'valibot'],
    node: true,
    open: [...SMALL.slack, 'call.ts'],
  },
  'shared/platforms/discord': {
    rooms: ['shared/conversation', 'shared/platforms', 'shared/platforms/text', 'shared/texts'],
    // Of discord-api-types the types alone: its tables would be loaded whole.
    packages: ['discord-api-types/*', 'valibot'],
    node: true,
    open: SMALL.discord,
  },
  // Runs in a process of its own, so that its packages weigh on nothing else.
  'shared/platforms/discord/gateway': {
    rooms: ['shared/conversation', 'shared/platforms/discord'],
    packages: ['@discordjs/*', 'valibot'],
  },
  'shared/upstream': {
    rooms: [],
    packages: ['undici/*', 'eventsource-parser/*', '@cfworker/json-schema', 'valibot'],
    node: true,
  },
  'shared/store': {
    rooms: [
      'shared/budgets',
      'shared/conversation',
      'shared/limits',
      'shared/jobs',
      'shared/settings',
      NAMES,
    ],
    packages: ['@aws-sdk/client-dynamodb', 'valibot'],
    node: true,
    open: ['dynamo-client.ts', 'dynamo-light.ts', ...SMALL.store],
  },
  'shared/jobs': { rooms: ['shared/conversation'], packages: [] },
  'shared/pictures': { rooms: [], packages: [] },
  // PDFs are read in a thread of their own; all else is pure.
  'shared/files': { rooms: [], packages: ['unpdf'], node: true },
  // Recordings are decoded in a thread of its own.
  'shared/transcript': { rooms: [], packages: [] },
  'shared/media/aac': { rooms: [], packages: [] },
  'shared/media': {
    rooms: ['shared/media/aac'],
    packages: [
      'mediabunny',
      'opus-decoder',
      'mpg123-decoder',
      '@wasm-audio-decoders/flac',
      '@mediabunny/mp3-encoder',
      'opusscript',
      'valibot',
    ],
    node: true,
  },
  'shared/runtime': {
    rooms: ['shared/jobs'],
    packages: ['aws4', 'aws-lambda', 'valibot'],
    node: true,
    open: ['*'],
  },
  // The loader and the texts themselves.
  'shared/texts': {
    rooms: [],
    packages: ['intl-messageformat'],
    open: ['discord/index.ts', 'forms/index.ts', 'locale.ts'],
  },
  'shared/flows': {
    rooms: [
      'shared/conversation',
      'shared/budgets',
      'shared/limits',
      'shared/platforms',
      'shared/platforms/text',
      'shared/jobs',
      'shared/pictures',
      'shared/files',
      'shared/runtime',
      'shared/settings',
      'shared/texts',
      'shared/flows/commands',
      'shared/flows/summary',
      'shared/flows/video',
      'shared/flows/voice',
    ],
    typesOf: ['shared/store', 'shared/upstream'],
    packages: [],
    open: [
      ...SMALL.flows,
      'footer.ts',
      'once.ts',
      'own-key.ts',
      'paid.ts',
      'quota.ts',
      'hand-in.ts',
      'no-slot.ts',
      'locale.ts',
      'ports.ts',
      'private-reply.ts',
      'overhear.ts',
      'write-out.ts',
      'permitted.ts',
      'receive.ts',
      'request.ts',
      'sentences.ts',
      'settings.ts',
      'slot.ts',
      'spending.ts',
      'system-prompt.ts',
      'take-down.ts',
      'tools.ts',
      'usage.ts',
      'wait-in-queue.ts',
      'weight.ts',
    ],
  },
  'shared/flows/commands': {
    rooms: [
      'shared/jobs',
      'shared/budgets',
      'shared/conversation',
      'shared/platforms',
      'shared/settings',
      'shared/texts',
      'shared/flows',
      'shared/flows/summary',
      'shared/flows/video',
      'shared/flows/voice',
    ],
    typesOf: ['shared/store', 'shared/upstream'],
    packages: [],
    open: ['*'],
  },
  'shared/flows/summary': {
    rooms: ['shared/conversation', 'shared/budgets', 'shared/platforms', 'shared/texts'],
    packages: [],
    open: ['*'],
  },
  'shared/flows/video': {
    rooms: [
      'shared/conversation',
      'shared/budgets',
      'shared/jobs',
      'shared/platforms',
      'shared/runtime',
      'shared/settings',
      'shared/texts',
      'shared/flows',
      'shared/flows/commands',
    ],
    typesOf: ['shared/store', 'shared/upstream'],
    packages: [],
    open: ['*'],
  },
  'shared/flows/voice': {
    rooms: [
      'shared/conversation',
      'shared/platforms',
      'shared/runtime',
      'shared/settings',
      'shared/texts',
      'shared/transcript',
      'shared/flows',
      'shared/flows/commands',
    ],
    typesOf: ['shared/store', 'shared/media'],
    packages: [],
    open: ['*'],
  },
  'shared/task-queue': {
    rooms: ['shared/runtime'],
    typesOf: ['shared/flows'],
    packages: ['valibot'],
    node: true,
  },
  functions: {
    rooms: [
      'shared/task-queue',
      'shared/conversation',
      'shared/budgets',
      'shared/limits',
      'shared/settings',
      'shared/platforms',
      'shared/platforms/slack',
      'shared/platforms/discord',
      'shared/platforms/discord/gateway',
      'shared/texts',
      'shared/upstream',
      'shared/store',
      'shared/jobs',
      'shared/files',
      'shared/runtime',
      'shared/flows',
      'shared/flows/commands',
      'shared/flows/video',
      'shared/flows/voice',
      'shared/media',
    ],
    packages: ['@slack/*', 'aws-lambda', 'valibot'],
    node: true,
  },
  infra: {
    rooms: [NAMES],
    packages: ['aws-cdk-lib/*', 'constructs', 'cdk-nag', 'esbuild', 'zod/mini'],
    node: true,
    open: ['*'],
  },
  'infra/configuration': {
    rooms: ['shared/platforms/slack', 'shared/runtime'],
    packages: ['discord-api-types/*', 'dotenv', 'leven', 'zod/mini'],
  },
  'infra/local': {
    rooms: ['infra', 'infra/cli', 'infra/configuration', 'shared/flows/commands', NAMES, 'test/simulators'],
    packages: [
      'aws4',
      'classic-level',
      'dynalite',
      'dotenv',
      'esbuild',
      '@slack/socket-mode',
      'undici',
      'zod/mini',
    ],
    node: true,
    open: ['*'],
    pries: true,
  },
  'infra/cli': {
    rooms: [
      'shared/platforms/discord/gateway',
      'shared/platforms/slack',
      'shared/flows/commands',
      'shared/texts',
    ],
    packages: [
      '@aws-sdk/client-dynamodb',
      '@discordjs/builders',
      'discord-api-types/*',
      'discord.js',
      'dotenv',
      'zod/mini',
    ],
    node: true,
    open: ['*'],
  },
  'infra/checks': { rooms: [], packages: ['semver', 'zod/mini'], node: true },
  'test/simulators': { rooms: [SLACK_CALL], packages: ['*'], node: true, open: ['*'] },
  test: { rooms: ['*'], packages: ['*'], node: true, open: ['*'], pries: true },
};
