package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// inWords says what is wrong with a document without types of Go, which are what encoding/json tells.
func inWords(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		where := kind.Field
		if where == "" {
			where = "the document"
		}
		is, ok := jsonKinds[kind.Value]
		if !ok {
			is = "the " + kind.Value // "number 1.5"
		}
		return fmt.Errorf("%s is %s where %s belongs (byte %d)", where, is, wanted(kind.Type), kind.Offset)
	case errors.As(err, &syntax) && syntax.Error() != "unexpected end of JSON input":
		return fmt.Errorf("%w (byte %d)", syntax, syntax.Offset)
	case syntax != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is empty, or cut short")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

var jsonKinds = map[string]string{"string": "a string", "number": "a number", "bool": "true or false", "array": "a list", "object": "an object"}

// wanted is what a value of a type is in JSON.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a whole number"
}
