// Spanish word rules of search intent.
import type { WordRules } from './word-rules.ts';

export const words: WordRules = {
  informational: {
    strong:
      'como comprar, como elegir, como limpiar, como hacer, como se, como puedo, como funciona, ^como, que es, que son, que significa, por que, cuando cayo, ' +
      'cuando es, cuando fue, quien es, quien fue, donde esta, significado, diferencia entre, diferencias entre, sintomas, efectos secundarios, receta, ' +
      'recetas, tutorial, historia de, historia del, ejemplos, capital de, definicion, causas, para que sirve, paso a paso, cuanto tiempo, que hacer, ' +
      'a cuanto esta',
    clear:
      'cuando, quien, donde, consejos, ideas, el tiempo, patrones, plantilla, ejercicios, para principiantes, guia, aprender, beneficios, formula*, remedios, ' +
      'como, quitar, limpiar, eliminar, arreglar, cuanto, cuanta, cuantos, cuantas, calcular, habitantes, poblacion, requisitos, sueldo, salario minimo, ' +
      'festivos, calendario laboral, calendario escolar, resumen, poemas, frases, felicitaciones, dolor, me duele, permitido, edad de jubilacion, preaviso, ' +
      'verbos, conjugacion, podar, propiedades, tiempo en',
    weak: 'lista, estadisticas, tipos de, imagenes, calculadora',
  },
  navigational: {
    strong:
      'iniciar sesion, acceder, entrar, pagina oficial, sitio oficial, web oficial, atencion al cliente, banca online, banca en linea, mi cuenta, login, ' +
      'correo electronico, area de clientes, seguimiento',
    clear:
      'horario, horarios, contacto, telefono, portal, ayuda, soporte, aplicacion, empleo, check in, tracking, devoluciones, rastreo, area clientes, ' +
      'area cliente, sede electronica, trabaja con nosotros, en directo, teletexto',
    weak: 'blog, foro, web',
  },
  commercial: {
    strong:
      'mejor, mejores, opiniones, opinion, comparativa, comparacion, comparar, comparador, vs, versus, alternativa, alternativas, vale la pena, ' +
      'merece la pena, ventajas y desventajas, ventajas e inconvenientes, que .. comprar, que .. elegir, cual .. mejor, cuanto cuesta, cuanto cuestan, ' +
      'cuanto vale, top 10, top 5, ranking, analisis, resena, resenas, guia de compra, ocu, por menos de .. euros, menos de .. euros, por menos de .. pesos, ' +
      'mas barato, mas barata, mas baratos, mas baratas, donde comer, donde cenar',
    clear:
      'test, top, recomendado*, para pymes, para mascotas, calidad precio, cual, o, fiable, fiables, mas fiable, mas fiables, confiable, mas bonito, ' +
      'mas bonita, mas bonitos, mas bonitas, con encanto, con piscina, para familias',
    weak: 'software, zapatillas, mujer, hombre, barato*, romantico, romanticos',
  },
  transactional: {
    strong:
      'comprar, compra, pedir, codigo descuento, cupon, cupones, descuento, descuentos, cerca de mi, cerca de aqui, reservar, reserva, descargar, alquiler, ' +
      'alquilar, entradas, presupuesto, a domicilio, envio, en venta, prueba gratis, suscripcion, contratar, suscribirse, rebajas, ofertas, renovar, ' +
      'solicitar, matricularse, inscribirse, pedir cita, cita previa',
    clear:
      'precio, precios, barato, barata, baratos, baratas, segunda mano, tienda, vuelos, oferta, tarifas, gratis, al por mayor, mayorista, ultima hora, ' +
      'todo incluido, urgente, urgencias, 24 horas, 24h, convertir, mandar, enviar, renta, rentar, inscripcion, ferry',
    weak:
      'coste, online, fontanero, plomero, electricista, cerrajero, abogado, asesor fiscal, gestoria, dentista, mudanzas, control de plagas, peluqueria, ' +
      'autoescuela, floristeria, desatascos',
  },
};
