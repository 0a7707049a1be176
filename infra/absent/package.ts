/** Stands in a bundle for a package that the function never uses (see ../bundles.ts). */
export default {};
