/**
 * A module: a folder with all below it that is no module of its own. It may import the modules that stand above it in the
 * table, types included, and nothing else.
 */
export type Module = {
  readonly folder: string;
  /** Packages that it may use; a name that ends in `/*` stands for a scope, or for all that a package exports. */
  readonly packages?: readonly string[];
  /** Whether it may use Node's own modules: decisions are pure and may not. */
  readonly node?: true;
  /** It imports nothing of this project, and could be published by itself. */
  readonly standsAlone?: true;
  /** The only modules that may import it. */
  readonly usedBy?: readonly string[];
  /** The only modules that may use more of it than types and errors. */
  readonly calledBy?: readonly string[];
};

/** What builds the object graph, and what works on one machine. */
const ASSEMBLY = ['functions', 'functions/composition', 'infra/cli', 'infra/configuration', 'infra/local'];

/** All modules, each below those that it may import. */
export const MODULES: readonly Module[] = [
  // Pure: words, rules and arithmetic.
  { folder: 'shared/domain', packages: ['valibot'], standsAlone: true },
  { folder: 'shared/utils', standsAlone: true },
  { folder: 'shared/rate-limits', standsAlone: true },
  { folder: 'shared/settings/rules', packages: ['valibot'], standsAlone: true },
  { folder: 'shared/billing/budgets', packages: ['valibot'], standsAlone: true },
  { folder: 'shared/transcript', standsAlone: true },
  { folder: 'shared/image-files', standsAlone: true },
  { folder: 'shared/i18n', packages: ['intl-messageformat'] },
  { folder: 'shared/video/jobs' },

  // Adapters.
  { folder: 'shared/documents', packages: ['unpdf'], node: true, standsAlone: true },
  {
    folder: 'shared/media',
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
    standsAlone: true,
    calledBy: ASSEMBLY,
  },
  {
    folder: 'shared/upstream',
    packages: ['undici/*', 'eventsource-parser/*', '@cfworker/json-schema', 'valibot'],
    node: true,
    standsAlone: true,
    calledBy: ASSEMBLY,
  },
  { folder: 'shared/runtime', packages: ['valibot'], node: true },
  { folder: 'shared/aws', packages: ['aws4', 'valibot'], node: true },
  { folder: 'shared/platforms' },
  { folder: 'shared/platforms/live-answer' },
  {
    folder: 'shared/platforms/slack',
    packages: ['@slack/*', 'valibot'],
    node: true,
    usedBy: [...ASSEMBLY, 'test/simulators'],
  },
  {
    folder: 'shared/platforms/discord',
    // Of discord-api-types the types alone: its tables would be loaded whole.
    packages: ['discord-api-types/*', '@discordjs/rest', 'valibot'],
    node: true,
    usedBy: [...ASSEMBLY, 'shared/platforms/discord/gateway'],
  },
  // Runs in a process of its own, so that its packages weigh on nothing else.
  {
    folder: 'shared/platforms/discord/gateway',
    packages: ['@discordjs/*', 'valibot'],
    usedBy: ASSEMBLY,
  },
  {
    folder: 'shared/storage',
    packages: ['@aws-sdk/client-dynamodb', 'valibot'],
    node: true,
    calledBy: ASSEMBLY,
  },
  { folder: 'shared/task-queue', packages: ['valibot'], node: true },

  // Features. What they need of each other they get from those above, or handed in by the functions.
  { folder: 'shared/ports' },
  { folder: 'shared/settings' },
  { folder: 'shared/billing' },
  { folder: 'shared/context' },
  { folder: 'shared/installs' },
  { folder: 'shared/chat' },
  { folder: 'shared/voice' },
  { folder: 'shared/video' },
  { folder: 'shared/summary' },
  { folder: 'shared/privacy' },
  { folder: 'shared/intake' },
  { folder: 'shared/commands' },
  { folder: 'shared/worker' },

  // What runs: on AWS, and on one machine.
  { folder: 'functions/composition', packages: ['@slack/oauth', 'aws-lambda', 'valibot'], node: true },
  { folder: 'functions', packages: ['@slack/*', 'aws-lambda'], node: true },
  {
    folder: 'infra/cdk',
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'cdk-nag', 'esbuild', 'zod/mini'],
    node: true,
  },
  {
    folder: 'infra/configuration',
    packages: ['discord-api-types/*', 'dotenv', 'leven', 'zod/mini'],
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
      'zod/mini',
    ],
    node: true,
  },
  { folder: 'test/simulators', packages: ['*'], node: true },
  {
    folder: 'infra/local',
    packages: ['aws4', 'classic-level', 'dynalite', 'dotenv', 'esbuild', '@slack/bolt', 'undici', 'zod/mini'],
    node: true,
  },
  { folder: 'infra/checks', packages: ['semver', 'zod/mini'], node: true, standsAlone: true },
  { folder: 'test', packages: ['*'], node: true },
];
