/**
 * A module: a folder with its subfolders, except those that are modules themselves. It may import only modules listed before
 * it, type imports included.
 */
export type Module = {
  readonly folder: string;
  /** Allowed packages; a name ending in `/*` allows a scope, or all entry points of a package. */
  readonly packages?: readonly string[];
  /** Whether it may use Node's built-in modules. Pure modules may not. */
  readonly node?: true;
  /** Whether it imports nothing else of this project, and could be published separately. */
  readonly isStandalone?: true;
  /** Whether other modules may import only its `index.ts`. Fronts load single files of the others, to stay small. */
  readonly hasIndex?: true;
  /** The only modules that may import it. */
  readonly usedBy?: readonly string[];
  /** The only modules that may import more than types and errors from it. */
  readonly calledBy?: readonly string[];
};

/** Modules that build the object graph, and the local system. */
const ASSEMBLY = ['functions', 'functions/composition', 'infra/cli', 'infra/configuration', 'infra/local'];

/** All modules. Each may import only those before it. */
export const MODULES: readonly Module[] = [
  // Pure: types, rules and arithmetic.
  { folder: 'shared/domain', hasIndex: true, packages: ['valibot'], isStandalone: true },
  { folder: 'shared/utils', isStandalone: true },
  { folder: 'shared/rate-limits', hasIndex: true, isStandalone: true },
  { folder: 'shared/settings/rules', hasIndex: true, packages: ['valibot'], isStandalone: true },
  { folder: 'shared/billing/budgets', hasIndex: true, packages: ['valibot'], isStandalone: true },
  { folder: 'shared/transcript', hasIndex: true, isStandalone: true },
  { folder: 'shared/image-files', hasIndex: true, isStandalone: true },
  { folder: 'shared/i18n', packages: ['intl-messageformat'] },
  { folder: 'shared/video/jobs', hasIndex: true },

  // Adapters.
  { folder: 'shared/documents', hasIndex: true, packages: ['unpdf'], node: true, isStandalone: true },
  {
    folder: 'shared/media',
    hasIndex: true,
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
    isStandalone: true,
    calledBy: ASSEMBLY,
  },
  {
    folder: 'shared/upstream',
    hasIndex: true,
    packages: ['undici', 'eventsource-parser/*', '@cfworker/json-schema', 'valibot'],
    node: true,
    isStandalone: true,
    calledBy: ASSEMBLY,
  },
  { folder: 'shared/runtime', packages: ['valibot'], node: true },
  { folder: 'shared/aws', packages: ['aws4', 'valibot'], node: true },
  { folder: 'shared/platforms' },
  { folder: 'shared/platforms/live-answer', hasIndex: true },
  {
    folder: 'shared/platforms/slack',
    packages: ['@slack/*', 'valibot'],
    node: true,
    usedBy: [...ASSEMBLY, 'test/simulators'],
  },
  {
    folder: 'shared/platforms/discord',
    // Type imports only: the package's tables would be bundled completely.
    packages: ['discord-api-types/*', '@discordjs/rest', 'valibot'],
    node: true,
    usedBy: [...ASSEMBLY, 'shared/platforms/discord/gateway'],
  },
  // Runs in a separate process, so its packages do not affect other bundles.
  {
    folder: 'shared/platforms/discord/gateway',
    hasIndex: true,
    packages: ['@discordjs/*', 'valibot'],
    usedBy: ASSEMBLY,
  },
  {
    folder: 'shared/storage',
    packages: ['@aws-sdk/client-dynamodb', 'valibot'],
    node: true,
    calledBy: ASSEMBLY,
  },
  { folder: 'shared/task-queue', hasIndex: true, packages: ['valibot'], node: true },

  // Features. They import other features through `index.ts` only; services are injected by the composition.
  { folder: 'shared/ports', hasIndex: true },
  { folder: 'shared/settings', hasIndex: true },
  { folder: 'shared/billing', hasIndex: true },
  { folder: 'shared/context', hasIndex: true },
  { folder: 'shared/installs', hasIndex: true },
  { folder: 'shared/chat', hasIndex: true },
  { folder: 'shared/voice', hasIndex: true },
  { folder: 'shared/video', hasIndex: true },
  { folder: 'shared/summary', hasIndex: true },
  { folder: 'shared/privacy', hasIndex: true },
  { folder: 'shared/intake', hasIndex: true },
  { folder: 'shared/commands', hasIndex: true },
  { folder: 'shared/worker', hasIndex: true },

  // Entry points: on AWS, and on one machine.
  { folder: 'functions/composition', packages: ['@slack/oauth', 'aws-lambda', 'valibot'], node: true },
  { folder: 'functions', packages: ['@slack/*', 'aws-lambda'], node: true },
  {
    folder: 'infra/cdk',
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'cdk-nag', 'esbuild', 'valibot'],
    node: true,
  },
  {
    folder: 'infra/configuration',
    hasIndex: true,
    packages: ['discord-api-types/*', 'dotenv', 'leven', 'valibot'],
    node: true,
  },
  {
    folder: 'infra/cli',
    packages: [
      '@aws-sdk/client-dynamodb',
      '@discordjs/builders',
      'discord-api-types/*',
      'discord.js',
      'dotenv',
      'valibot',
    ],
    node: true,
  },
  { folder: 'test/simulators', packages: ['*'], node: true },
  {
    folder: 'infra/local',
    packages: ['aws4', 'classic-level', 'dynalite', 'dotenv', 'esbuild', '@slack/bolt', 'undici', 'valibot'],
    node: true,
  },
  { folder: 'infra/checks', packages: ['semver', 'valibot', 'wabt'], node: true, isStandalone: true },
  { folder: 'test', packages: ['*'], node: true },
];
