import { bundleAhead, writeBundle } from '../bundle.ts';

/** `node bundle-alone.ts FILE OUTFILE`: makes one bundle, for callers that cannot wait for a promise. */
const [file = '', outfile = ''] = process.argv.slice(2);
await bundleAhead([file]);
writeBundle(file, outfile);
