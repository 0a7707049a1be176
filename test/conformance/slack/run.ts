import { runPackage } from '../run-package.ts';

/** `npm run conformance:slack`. */
runPackage(import.meta.dirname);
