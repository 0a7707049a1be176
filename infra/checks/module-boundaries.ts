/**
 * A module: a folder with its subfolders, except those that are modules themselves. It may import only modules listed before
 * it, type imports included.
 */
export type Module = {
  readonly folder: string;
  /** Allowed packages; a name ending in `/*` allows a scope, or all entry points of a package. */
  readonly packages?: readonly string[];
  /** Whether it may use Node's built-in modules. Pure modules may not. */
  readonly usesNode?: true;
  /** Whether it imports nothing else of this project, and could be published separately. */
  readonly isStandalone?: true;
  /** The files that other modules may import. Default: `index.ts`. */
  readonly entries?: readonly string[];
  /** The only modules that may import it. */
  readonly usedBy?: readonly string[];
  /** The only modules that may import more than types and errors from it. */
  readonly calledBy?: readonly string[];
};

/** Folders that have a subfolder for each platform. */
const PLATFORM_ENTRIES = ['slack/index.ts', 'discord/index.ts'];

/** Modules that build the object graph: of the functions, and of the local system. */
const ASSEMBLY = ['functions/composition', 'infra/cli', 'infra/configuration', 'infra/local', 'infra/parley'];

/** All modules. Each may import only those before it. */
export const MODULES: readonly Module[] = [
  // Pure: types, rules and arithmetic.
  { folder: 'shared/domain', packages: ['valibot'], isStandalone: true },
  { folder: 'shared/utils', isStandalone: true },
  { folder: 'shared/rate-limits', isStandalone: true },
  { folder: 'shared/settings/rules', packages: ['valibot'], isStandalone: true },
  { folder: 'shared/private-data' },
  { folder: 'shared/billing/budgets', packages: ['valibot'], isStandalone: true },
  { folder: 'shared/schedules/rules', isStandalone: true },
  { folder: 'shared/knowledge/rules', isStandalone: true },
  { folder: 'shared/transcript', isStandalone: true },
  { folder: 'shared/image-files', isStandalone: true },
  { folder: 'shared/i18n', packages: ['intl-messageformat'] },
  { folder: 'shared/video/jobs' },

  // Adapters.
  { folder: 'shared/documents', packages: ['unpdf'], usesNode: true, isStandalone: true },
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
    usesNode: true,
    isStandalone: true,
    calledBy: ASSEMBLY,
  },
  {
    folder: 'shared/upstream',
    // The checks of a configuration need no client.
    entries: ['index.ts', 'http/endpoint-url.ts', 'models/model.ts'],
    packages: ['undici', 'eventsource-parser/*', '@cfworker/json-schema', 'valibot'],
    usesNode: true,
    isStandalone: true,
    calledBy: ASSEMBLY,
  },
  // In a function of its own: the SDK is large, and servers of strangers answer it. The workers know the format of its messages only.
  {
    folder: 'shared/mcp',
    entries: ['index.ts', 'protocol.ts'],
    packages: ['@modelcontextprotocol/sdk/*', 'htmlparser2', 'valibot'],
    usesNode: true,
    calledBy: [...ASSEMBLY, 'functions'],
  },
  { folder: 'shared/runtime', packages: ['valibot'], usesNode: true },
  { folder: 'shared/aws', packages: ['aws4', 'valibot'], usesNode: true },
  { folder: 'shared/platforms/ports' },
  { folder: 'shared/platforms/markdown' },
  { folder: 'shared/platforms' },
  { folder: 'shared/platforms/live-answer' },
  {
    folder: 'shared/platforms/slack',
    // Bolt takes long to load: only the front imports it. The local system and the CLI check the scopes only.
    entries: ['index.ts', 'front.ts', 'oauth/scopes.ts'],
    packages: ['@slack/*', 'valibot'],
    usesNode: true,
    usedBy: [...ASSEMBLY, 'test/simulators'],
  },
  {
    folder: 'shared/platforms/discord',
    // Type imports only: the package's tables would be bundled completely.
    packages: ['discord-api-types/*', '@discordjs/rest', 'valibot'],
    usesNode: true,
    usedBy: [...ASSEMBLY, 'shared/platforms/discord/gateway'],
  },
  // Runs in a separate process, so its packages do not affect other bundles.
  {
    folder: 'shared/platforms/discord/gateway',

    packages: ['@discordjs/*', 'valibot'],
    usedBy: ASSEMBLY,
  },
  { folder: 'shared/platforms/api', usedBy: ASSEMBLY },
  {
    folder: 'shared/storage',
    // The local system reads whole tables without the AWS SDK.
    entries: ['index.ts', 'table-scans.ts'],
    packages: ['@aws-sdk/client-dynamodb', 'valibot'],
    usesNode: true,
    calledBy: ASSEMBLY,
  },
  { folder: 'shared/task-queue', packages: ['valibot'], usesNode: true },

  // Features. They import other features through `index.ts` only; services are injected by the composition.
  { folder: 'shared/ports' },
  { folder: 'shared/settings' },
  { folder: 'shared/billing' },
  { folder: 'shared/facts' },
  { folder: 'shared/chat' },
  { folder: 'shared/voice' },
  { folder: 'shared/video' },
  { folder: 'shared/tools' },
  { folder: 'shared/search', packages: ['valibot'] },
  { folder: 'shared/knowledge', packages: ['valibot'], usesNode: true },
  { folder: 'shared/summary' },
  { folder: 'shared/schedules' },
  { folder: 'shared/weekly-summary' },
  { folder: 'shared/privacy' },
  { folder: 'shared/intake' },
  { folder: 'shared/integrations', packages: ['valibot'], usesNode: true },
  { folder: 'shared/commands' },
  { folder: 'shared/worker' },

  // Entry points: on AWS, and on one machine.
  {
    folder: 'functions/composition',
    // The functions of a platform import what is only theirs.
    entries: ['index.ts', 'canary-question.ts', 'api/index.ts', ...PLATFORM_ENTRIES],
    packages: ['@slack/oauth', 'aws-lambda', 'valibot'],
    usesNode: true,
  },
  { folder: 'functions', packages: ['aws-lambda'], usesNode: true },
  { folder: 'docs/examples', packages: ['valibot'] },
  {
    folder: 'infra/cdk',
    // Options and parameters are documented from their definitions.
    entries: ['context-options.ts', 'parameters/parameter-list.ts'],
    packages: ['aws-cdk-lib', 'aws-cdk-lib/*', 'constructs', 'cdk-nag', 'esbuild', 'leven', 'valibot'],
    usesNode: true,
  },
  {
    folder: 'infra/configuration',

    packages: ['discord-api-types/*', 'dotenv', 'leven', 'valibot'],
    usesNode: true,
  },
  {
    folder: 'infra/cli',
    entries: [
      'index.ts',
      'compare-commands.ts',
      'invite.ts',
      'reference/write-reference.ts',
      'register.ts',
      'slack-manifest.ts',
    ],
    packages: ['@discordjs/builders', 'discord-api-types/*', 'discord.js', 'dotenv', 'valibot'],
    usesNode: true,
  },
  {
    folder: 'test/simulators',
    // A local system loads only the simulators that it needs.
    entries: [...PLATFORM_ENTRIES, 'mcp/index.ts', 'upstream/index.ts', 'search/index.ts'],
    packages: ['*'],
    usesNode: true,
  },
  { folder: 'infra/dashboard', packages: ['valibot'], usesNode: true },
  {
    folder: 'infra/local',
    packages: ['aws4', 'classic-level', 'dynalite', 'dotenv', 'esbuild', '@slack/bolt', 'undici', 'valibot'],
    usesNode: true,
  },
  {
    folder: 'infra/parley',
    packages: [
      '@aws-sdk/client-dynamodb',
      '@bomb.sh/tab/*',
      '@clack/prompts',
      'aws4',
      'commander',
      'discord-api-types/*',
      'valibot',
    ],
    usesNode: true,
  },
  { folder: 'infra/checks', packages: ['semver', 'valibot', 'wabt'], usesNode: true, isStandalone: true },
  { folder: 'test', packages: ['*'], usesNode: true },
];
