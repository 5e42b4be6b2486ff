/** Styles are imported for their effect: the bundler writes them into one file. */
declare module '*.css'
