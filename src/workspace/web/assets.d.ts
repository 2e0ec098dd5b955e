// Vite loads style sheets: they declare nothing.
declare module '*.css';
